package ast

// IDs are the ids of the names in a query.
type IDs struct {
	Entities, Relations map[string]int32
}
