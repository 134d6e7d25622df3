package ast

import "strconv"

// Filter is an atom of one variable: population(x) > 1000000 says that a value of x meets a condition.
type Filter struct {
	Condition
	// Subject is the entity, in a checked formula a variable.
	Subject Term
	Pos
}

// Condition is a condition on the values of an attribute.
type Condition struct {
	Attribute string
	// Comparisons are the conditions that a single value must meet together, at least one.
	Comparisons []Comparison
	// Unknown also accepts entities without a value: population(x) >? 1000000.
	Unknown bool
	// Negated says that none of an entity's values meets the condition. Normalize sets it for a negated filter.
	Negated bool
}

// Comparison compares a value with another one.
type Comparison struct {
	// Operator is =, !=, <, <=, > or >=.
	Operator string
	// Value is a number, or text in quotes, or the name of a parameter.
	Value         string
	Quoted, Param bool
	// Pos is the position of Value.
	Pos
}

// Text prints the condition on a subject. Several comparisons that form no range cannot be written in the language.
func (f Condition) Text(subject string) string {
	text := Relation{Name: f.Attribute}.Applied(subject) + " "
	if f.Negated {
		text = "!" + text
	}
	mark := ""
	if f.Unknown {
		mark = "?"
	}
	if dots := f.dots(); dots != "" {
		return text + "in" + mark + " " + f.Comparisons[0].text() + dots + f.Comparisons[1].text()
	}
	for i, c := range f.Comparisons {
		if i > 0 {
			text += ", "
		}
		text += c.Operator + mark + " " + c.text()
	}
	return text
}

// dots returns the dots between the ends of a range, a lower and an upper bound; empty for other conditions.
func (f Condition) dots() string {
	if len(f.Comparisons) != 2 {
		return ""
	}
	for dots, operators := range Ranges {
		if operators == [2]string{f.Comparisons[0].Operator, f.Comparisons[1].Operator} {
			return dots
		}
	}
	return ""
}

// Ranges maps the dots of a range to the comparisons with its two ends.
var Ranges = map[string][2]string{
	"..": {">=", "<="}, "<..": {">", "<="}, "..<": {">=", "<"}, "<..<": {">", "<"},
}

// text prints the right side of the comparison.
func (c Comparison) text() string {
	switch {
	case c.Param:
		return "$" + c.Value
	case c.Quoted:
		return strconv.Quote(c.Value)
	}
	return c.Value
}
