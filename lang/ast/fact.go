package ast

// Fact is a fact stated in a text.
type Fact struct {
	// Names are the names of head, relation and tail; a relation that ends in ^-1 is an inverse. If Value is set,
	// they are the entity, the attribute and the value.
	Names [3]string
	// Value says that the tail is a value: a date if Quoted, otherwise a number.
	Value, Quoted bool
	// Negated says that the fact is not true.
	Negated bool
	// Text is the fact as a formula.
	Text string
	// Pos is the position of the fact, and At of each of its names.
	Pos Pos
	At  [3]Pos
}
