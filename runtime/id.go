package runtime

// EntityID is a row of the entity table, 0 ≤ id < n.
type EntityID int32

// RelationID is a directed relation: 2i is relation i of the graph, 2i+1 its
// inverse, the numbering of BetaE's data and of reciprocal checkpoints.
type RelationID int32

// Inverse returns the same relation read in the other direction.
func (r RelationID) Inverse() RelationID { return r ^ 1 }

// IsInverse reports whether r is the inverse of a relation of the graph.
func (r RelationID) IsInverse() bool { return r&1 == 1 }
