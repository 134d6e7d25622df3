package ast

// Alias is a short name of a relation in a file.
type Alias struct {
	Name string
	// Relation is what the name stands for.
	Relation Relation
	Pos      Pos
}
