package model

import (
	"fmt"
	"math"
	"slices"
)

// Filter is a condition on the values of an attribute. An entity meets it if one of its values does.
type Filter struct {
	Attribute string
	// Operator is =, !=, <, <=, > or >=.
	Operator string
	// Value is a number, or a date as text. A year, a month or a day is a span of time, and later or
	// earlier dates are those behind or before all of it.
	Value  string
	Quoted bool // it is written in quotes, as dates are
	Param  int  // the parameter that has the value, counted from 1; 0 for Value
	// Unknown takes entities without a value as well, for less: see Selection.Factor.
	Unknown bool
	// Negated turns the filter round: none of the values meets the condition. Entities without a value
	// meet it no more than before.
	Negated bool
}

// Comparison is a filter with what it compares with, as data. Shards and devices select by it.
type Comparison struct {
	Filter Filter
	By     Span // in place of the filter's own value
	// Unknown is the degree to which entities without a value meet the filter.
	Unknown float32
}

// Selection says of each entity whether it meets a filter.
type Selection struct {
	column  column
	count   int // of values
	least   float64
	most    float64
	outside bool // the values that meet the condition are not from least to most
	by      Comparison
}

// mostUnknown bounds the degree of an unknown value, as the degree of a predicted link is bounded.
const mostUnknown = 0.9999

// Select returns the entities that meet a filter. The error says why there are none.
func (m *Model) Select(f Filter) (*Selection, error) {
	if err := m.CheckFilter(f.Attribute, f.Value, f.Quoted); err != nil {
		return nil, err
	}
	span, err := f.Kind().Span(f.Value)
	return m.SelectBy(f, span), err
}

// SelectBy returns the entities that meet a filter with a value in place of its own. If the model lacks the
// attribute, no entity has a value.
func (m *Model) SelectBy(f Filter, by Span) *Selection {
	s := m.selection(Comparison{Filter: f, By: by})
	if f.Unknown {
		meet := 0
		all := 0
		for _, holds := range s.Each {
			all++
			if holds {
				meet++
			}
		}
		s.by.Unknown = min(mostUnknown, float32(meet+1)/float32(all+2))
	}
	return s
}

// operators lists the operators of filters.
var operators = []string{"=", "!=", "<", "<=", ">", ">="}

// SelectPart returns the entities of a part of a model, or of a copy, that meet a filter of the model. The
// comparison may come from another process: SelectPart checks it.
func (m *Model) SelectPart(c Comparison) (*Selection, error) {
	f := c.Filter
	if err := m.CheckFilter(f.Attribute, "", f.Quoted); err != nil {
		return nil, err
	}
	width := c.By.Last - c.By.First
	switch {
	case !slices.Contains(operators, f.Operator):
		return nil, fmt.Errorf("a filter has the operator %q, want one of %q", f.Operator, operators)
	case width-width != 0 || width < 0:
		return nil, fmt.Errorf("a filter compares with %v to %v, want numbers in order", c.By.First, c.By.Last)
	case !(c.Unknown >= 0 && c.Unknown <= mostUnknown):
		return nil, fmt.Errorf("a filter takes unknown values to the degree %v, want 0 to %v", c.Unknown, mostUnknown)
	}
	return m.selection(c), nil
}

// selection returns the entities that meet a filter, given the degree of those without a value.
func (m *Model) selection(c Comparison) *Selection {
	f := c.Filter
	by := c.By
	s := &Selection{least: math.Inf(-1), most: math.Inf(1), by: c}
	if at := m.attribute(f.Attribute); at >= 0 && m.Manifest.Attributes[at].Kind == f.Kind() {
		s.column = m.values.columns[at]
		s.count = m.Manifest.Attributes[at].Values
		s.by.Filter.Attribute = m.Manifest.Attributes[at].Name
	}
	switch f.Operator {
	case "=", "!=":
		s.least = by.First
		s.most = by.Last
		s.outside = f.Operator == "!="
	case "<":
		s.most = math.Nextafter(by.First, math.Inf(-1))
	case "<=":
		s.most = by.Last
	case ">":
		s.least = math.Nextafter(by.Last, math.Inf(1))
	default:
		s.least = by.First
	}
	return s
}

// Comparison returns what the entities are selected by.
func (s *Selection) Comparison() Comparison { return s.by }

// Kind returns the kind of the values that the filter compares.
func (f Filter) Kind() ValueKind {
	if f.Quoted {
		return DateKind
	}
	return NumberKind
}

// CheckFilter reports a filter by an attribute that the model lacks, or by a value of another kind: in quotes,
// as dates are, or not. An empty value is one that is not known yet.
func (m *Model) CheckFilter(attribute, value string, quoted bool) error {
	a, err := m.Attribute(attribute)
	if err != nil {
		return err
	}
	if quoted != (a.Kind == DateKind) {
		return fmt.Errorf("%s is a %s: compare it with one, such as %s", attribute, a.Kind, a.Kind.example())
	}
	if value != "" {
		_, err = a.Kind.Span(value)
	}
	return err
}

// Each yields the entities that have a value, ascending, and whether they meet the filter.
func (s *Selection) Each(yield func(e int32, holds bool) bool) {
	for _, b := range s.column {
		for i := 0; i < len(b.entities); {
			e := b.entities[i]
			next := b.next(i)
			if !yield(e, s.meets(b.part(i, next))) {
				return
			}
			i = next
		}
	}
}

// meets reports whether an entity with these values meets the filter.
func (s *Selection) meets(b valueBlock) bool {
	holds := false
	for i := range b.entities {
		holds = holds || s.has(b.number(i))
	}
	return holds != s.by.Filter.Negated
}

// has reports whether a value meets the condition.
func (s *Selection) has(x float64) bool { return (s.least <= x && x <= s.most) != s.outside }

// Known reports whether an entity has a value and meets the filter.
func (s *Selection) Known(e EntityID) bool {
	holds, known := s.look(e)
	return known && holds
}

// look reports whether an entity meets the filter, and whether it has a value.
func (s *Selection) look(e EntityID) (holds, known bool) {
	b := s.column.of(e)
	return s.meets(b), len(b.entities) > 0
}

// Attribute returns the name of the attribute.
func (s *Selection) Attribute() string { return s.by.Filter.Attribute }

// Witness returns the least value of an entity that meets the condition, or its least one if the filter is negated.
// It reports false if there is none.
func (s *Selection) Witness(e EntityID) (v ValueFact, known bool) {
	b := s.column.of(e)
	for i := range b.entities {
		if s.by.Filter.Negated || s.has(b.number(i)) {
			return ValueFact{b.at(i), s.Attribute(), s.by.Filter.Kind()}, true
		}
	}
	return v, false
}

// Factor returns the degree to which an entity meets the filter: 1 or 0 if it has a value, and Unknown
// otherwise.
func (s *Selection) Factor(e EntityID) float32 {
	holds, known := s.look(e)
	switch {
	case !known:
		return s.by.Unknown
	case holds:
		return 1
	}
	return 0
}

// Unknown is the degree to which entities without a value meet the filter: 0 unless it asks for them,
// otherwise (k+1)/(n+2), but at most 0.9999, if k of the n entities with a value meet it.
func (s *Selection) Unknown() float32 { return s.by.Unknown }

// Factors sets the degree to which each entity meets the filter.
func (s *Selection) Factors(to []float32) {
	for e := range to {
		to[e] = s.by.Unknown
	}
	for e, holds := range s.Each {
		to[e] = 0
		if holds {
			to[e] = 1
		}
	}
}

// Values bounds the number of entities that have a value.
func (s *Selection) Values() int { return s.count }
