package ast

import "strconv"

// Filter is a condition on the values of an attribute: population(x) > 1000000. It stands in a formula as the
// inequality of x and a Term of kind Filtered, the entities that do not meet it.
type Filter struct {
	Attribute string
	// Comparisons are what one value has to meet, all of them, at least one.
	Comparisons []Comparison
	// Unknown takes entities without a value as well: population(x) >? 1000000.
	Unknown bool
	// Negated says that none of an entity's values meets the condition.
	Negated bool
}

// Comparison compares a value with another one.
type Comparison struct {
	// Operator is =, !=, <, <=, > or >=.
	Operator string
	// Value is a number, or text in quotes, or the name of a parameter.
	Value         string
	Quoted, Param bool
	// Pos is the place of Value.
	Pos
}

// Term returns the entities that do not meet the filter. Equal filters have terms of one name.
func (f Filter) Term(pos Pos) Term {
	return Term{Kind: Filtered, Name: f.Text("_"), Filter: &f, Pos: pos}
}

// Text prints the filter of a subject. Several comparisons that are no range are no text of the language.
func (f Filter) Text(subject string) string {
	text := Relation{Name: f.Attribute}.String() + "(" + subject + ") "
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

// dots returns what joins the ends of a range, which is a lower bound and an upper one; it is empty for other filters.
func (f Filter) dots() string {
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

// Ranges are the comparisons with the two ends of a range by what joins these.
var Ranges = map[string][2]string{
	"..": {">=", "<="}, "<..": {">", "<="}, "..<": {">=", "<"}, "<..<": {">", "<"},
}

// text prints what the comparison compares with.
func (c Comparison) text() string {
	switch {
	case c.Param:
		return "$" + c.Value
	case c.Quoted:
		return strconv.Quote(c.Value)
	}
	return c.Value
}

// Filter returns the filter that an inequality stands for, nil if it is of two entities or variables.
func (f *Unequal) Filter() *Filter { return f.Right.Filter }

// Turned returns the filter of what meets f not, with the same subject.
func (f *Unequal) Turned() *Unequal {
	turned := *f.Right.Filter
	turned.Negated = !turned.Negated
	return &Unequal{f.Left, turned.Term(f.Right.Pos), f.Pos}
}
