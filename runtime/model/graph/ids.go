package graph

// EntityID is a row of the entity table, 0 ≤ id < n.
type EntityID int32

// RelationID is a directed relation: 2i is relation i of the graph, 2i+1 its
// inverse, the numbering of BetaE's data and of reciprocal checkpoints.
type RelationID int32

// Entity is an entity of a model, as Model.Entity returns it and parameters of generated
// queries take it. The zero Entity is none, so a forgotten parameter is not mistaken for the
// entity of id 0.
type Entity struct{ next EntityID } // id + 1

// Relation is a directed relation of a model, as Model.Relation finds it and parameters
// of generated queries take it. The zero Relation is none.
type Relation struct{ next RelationID } // id + 1

// EntityOf returns the entity with that id, such as the id of an answer.
func EntityOf(id EntityID) Entity { return Entity{id + 1} }

// RelationOf returns the directed relation of that id.
func RelationOf(id RelationID) Relation { return Relation{id + 1} }

// ID returns the row of the entity, negative for the zero Entity.
func (e Entity) ID() EntityID { return e.next - 1 }

// ID returns the number of the relation; it and its inverse are negative for the zero
// Relation.
func (r Relation) ID() RelationID { return r.next - 1 }

// Inverse returns the same relation read in the other direction.
func (r RelationID) Inverse() RelationID { return r ^ 1 }

// Toward returns the inverse of r for Backward, and r for Forward.
func (r RelationID) Toward(d Direction) RelationID {
	if d == Backward {
		return r.Inverse()
	}
	return r
}

// IsInverse reports whether r is the inverse of a relation of the graph.
func (r RelationID) IsInverse() bool { return r&1 == 1 }

// Direction is the direction in which an op reads a relation.
type Direction bool

// The directions of messages.
const (
	// Forward goes from head to tail.
	Forward Direction = false
	// Backward goes from tail to head.
	Backward Direction = true
)

// Sign tells a positive atom from a negated one.
type Sign bool

// The signs of atoms.
const (
	Positive Sign = false
	Negated  Sign = true
)
