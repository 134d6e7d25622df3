package ast

import "strconv"

// Filter is a condition on the values of an attribute: population(x) > 1000000. It stands in a formula as the
// inequality of x and a Term of kind Filtered, the entities that do not meet it.
type Filter struct {
	Attribute string
	// Operator is =, !=, <, <=, > or >=.
	Operator string
	// Value is a number, or text in quotes, or the name of a parameter.
	Value         string
	Quoted, Param bool
	// Unknown takes entities without a value as well: population(x) >? 1000000.
	Unknown bool
	// Negated says that none of an entity's values meets the condition.
	Negated bool
}

// Term returns the entities that do not meet the filter. Equal filters have terms of one name.
func (f Filter) Term(pos Pos) Term {
	return Term{Kind: Filtered, Name: f.Text("_"), Filter: &f, Pos: pos}
}

// Text prints the filter of a subject.
func (f Filter) Text(subject string) string {
	text := Relation{Name: f.Attribute}.String() + "(" + subject + ") " + f.Operator
	if f.Unknown {
		text += "?"
	}
	if f.Negated {
		text = "!" + text
	}
	switch {
	case f.Param:
		return text + " $" + f.Value
	case f.Quoted:
		return text + " " + strconv.Quote(f.Value)
	}
	return text + " " + f.Value
}

// Filter returns the filter that an inequality stands for, nil if it is of two entities or variables.
func (f *Unequal) Filter() *Filter { return f.Right.Filter }

// Turned returns the filter of what meets f not, with the same subject.
func (f *Unequal) Turned() *Unequal {
	turned := *f.Right.Filter
	turned.Negated = !turned.Negated
	return &Unequal{f.Left, turned.Term(f.Right.Pos), f.Pos}
}
