package graph

// EntityID is a row of the entity table, 0 ≤ id < n.
type EntityID int32

// RelationID is a directed relation: 2i is relation i of the graph, 2i+1 its
// inverse, the numbering of BetaE's data and of reciprocal checkpoints.
type RelationID int32

// Entity is an entity of a model, the result of Model.Entity and the type of entity parameters in generated queries.
// The zero Entity is none, so a forgotten parameter is not mistaken for the entity with id 0.
type Entity struct{ next EntityID } // id + 1

// Relation is a directed relation of a model, the result of Model.Relation and the type of relation parameters in
// generated queries. The zero Relation is none.
type Relation struct{ next RelationID } // id + 1

// EntityOf returns the entity with an id, such as the id of an answer.
func EntityOf(id EntityID) Entity { return Entity{id + 1} }

// RelationOf returns the directed relation with an id.
func RelationOf(id RelationID) Relation { return Relation{id + 1} }

// ID returns the id of the entity, negative for the zero Entity.
func (e Entity) ID() EntityID { return e.next - 1 }

// ID returns the id of the relation; for the zero Relation this and its inverse are negative.
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

// Sign distinguishes positive and negated atoms.
type Sign bool

// The signs of atoms.
const (
	Positive Sign = false
	Negated  Sign = true
)
