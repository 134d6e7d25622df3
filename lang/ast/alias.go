package ast

// Alias is a short name of a relation in a file.
type Alias struct {
	Name string
	// Relation is the relation that the alias names.
	Relation Relation
	Pos      Pos
}
