package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Condition is a condition on the values of an attribute. An entity meets it if one of its values meets all comparisons.
type Condition struct {
	Attribute   string
	Comparisons []Comparison
	Quoted      bool // the values are in quotes, like dates
	// Unknown also accepts entities without a value, to a lower degree: see Selection.Factor.
	Unknown bool
	// Negated inverts the filter: none of the values meets the condition. It does not affect entities without a
	// value.
	Negated bool
}

// Comparison compares an entity's value with another.
type Comparison struct {
	// Operator is =, !=, <, <=, > or >=.
	Operator string
	// Value is a number, or a date as text. A year, a month or a day is a span of time; < and > compare with all of
	// it.
	Value string
	Param int // the parameter for the value, counted from 1; 0 for Value
}

// Selector is a condition with the values of its comparisons, as data. Shards and devices evaluate it.
type Selector struct {
	Condition Condition
	By        []values.Span // the value of each comparison
	// Unknown is the degree to which entities without a value meet the filter.
	Unknown float32
}

// Equal reports whether two selectors select the same entities.
func (c Selector) Equal(o Selector) bool {
	f, g := c.Condition, o.Condition
	return f.Attribute == g.Attribute && f.Quoted == g.Quoted && f.Unknown == g.Unknown && f.Negated == g.Negated &&
		slices.Equal(f.Comparisons, g.Comparisons) && slices.Equal(c.By, o.By) && c.Unknown == o.Unknown
}

// Selection is the set of entities that meet a filter.
type Selection struct {
	of      *Model
	column  values.Column
	count   int          // of values
	within  values.Range // the values for which the condition holds
	by      Selector
	meeting atomic.Pointer[[]int32] // the result of Meeting
	lenient bool                    // entities without a value count as known to meet the filter
}

// mostUnknown bounds the degree of an unknown value, like the degree of a predicted link.
const mostUnknown = 0.9999

// Select returns the entities that meet a filter, or an error if the filter is invalid.
func (m *Model) Select(f Condition) (*Selection, error) {
	by, err := m.Spans(f)
	if err != nil {
		return nil, err
	}
	return m.SelectBy(f, by), nil
}

// Spans parses the values of a filter's comparisons, except those of parameters. The error names an unknown
// attribute, or a value of the wrong kind.
func (m *Model) Spans(f Condition) ([]values.Span, error) {
	if err := m.CheckAttribute(f.Attribute); err != nil {
		return nil, err
	}
	by := make([]values.Span, len(f.Comparisons))
	for i, c := range f.Comparisons {
		var err error
		by[i].First, by[i].Last, err = m.ReadValue(f.Attribute, c.Value, f.Quoted)
		if err != nil {
			return nil, err
		}
	}
	return by, nil
}

// SelectBy returns the entities that meet a filter, given the value of each comparison. If the model lacks the
// attribute, no entity has a value.
func (m *Model) SelectBy(f Condition, by []values.Span) *Selection {
	s := m.selection(Selector{Condition: f, By: by})
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

// Lenient returns the selection under the assumption that all entities without a value meet the filter.
func (s *Selection) Lenient() *Selection {
	x := s.of.selection(s.by)
	x.lenient = true
	x.by.Unknown = 1
	return x
}

// operators lists the operators of filters.
var operators = []string{"=", "!=", "<", "<=", ">", ">="}

// SelectPart returns the entities of a part of a model, or of a copy, that meet a filter. It validates the condition,
// which may come from another process.
func (m *Model) SelectPart(c Selector) (*Selection, error) {
	f := c.Condition
	if err := m.CheckAttribute(f.Attribute); err != nil {
		return nil, err
	}
	if _, _, err := m.ReadValue(f.Attribute, "", f.Quoted); err != nil {
		return nil, err
	}
	if len(c.By) != len(f.Comparisons) {
		return nil, fmt.Errorf("a filter has %d comparisons with %d values", len(f.Comparisons), len(c.By))
	}
	for i, by := range c.By {
		width := by.Last - by.First
		if operator := f.Comparisons[i].Operator; !slices.Contains(operators, operator) {
			return nil, fmt.Errorf("a filter has the operator %q, want one of %q", operator, operators)
		}
		if width-width != 0 || width < 0 {
			return nil, fmt.Errorf("a filter compares with %v to %v, want numbers in order", by.First, by.Last)
		}
	}
	if !(c.Unknown >= 0 && c.Unknown <= mostUnknown) {
		return nil, fmt.Errorf("a filter takes unknown values to the degree %v, want 0 to %v", c.Unknown, mostUnknown)
	}
	return m.selection(c), nil
}

// selection returns the entities that meet a filter, given the degree of those without a value.
func (m *Model) selection(c Selector) *Selection {
	f := c.Condition
	s := &Selection{of: m, within: values.Everything(), by: c}
	at, err := m.attribute(f.Attribute)
	if err == nil && m.Manifest.Attributes[at].Kind == f.kind() {
		s.column = m.values.Column(at)
		s.count = m.Manifest.Attributes[at].Values
		s.by.Condition.Attribute = m.Manifest.Attributes[at].Name
	}
	for i, by := range c.By {
		s.within.Restrict(f.Comparisons[i].Operator, by)
	}
	return s
}

// Selector returns the condition of the selection.
func (s *Selection) Selector() Selector { return s.by }

// String returns the condition as in a formula, without its attribute, such as > 1000000.
func (c Selector) String() string {
	kind := c.Condition.kind()
	parts := make([]string, len(c.By))
	for i, by := range c.By {
		compared := c.Condition.Comparisons[i]
		value := cmp.Or(compared.Value, kind.Text(by.First))
		if c.Condition.Quoted {
			value = strconv.Quote(value)
		}
		parts[i] = compared.Operator + " " + value
	}
	text := strings.Join(parts, " & ")
	if c.Condition.Negated {
		return "not " + text
	}
	return text
}

// kind returns the kind of the values that the filter compares.
func (f Condition) kind() values.Kind {
	if f.Quoted {
		return values.DateKind
	}
	return values.NumberKind
}

// CheckAttribute reports an attribute that the model lacks.
func (m *Model) CheckAttribute(name string) error {
	_, err := m.Attribute(name)
	return err
}

// ReadValue returns the first and the last number of a value of an attribute: a date may span many moments. It
// reports a value of another kind, which depends on whether it is quoted, as dates are. An empty value is a missing
// one.
func (m *Model) ReadValue(attribute, value string, quoted bool) (first, last float64, err error) {
	a, err := m.Attribute(attribute)
	switch {
	case err != nil:
		return 0, 0, err
	case quoted != (a.Kind == values.DateKind):
		return 0, 0, fmt.Errorf("%s is a %s: compare it with one, such as %s", attribute, a.Kind, a.Kind.Example())
	case value == "":
		return 0, 0, nil
	}
	return a.Kind.Parse(value)
}

// Each yields the entities that have a value, ascending, and whether they meet the filter.
func (s *Selection) Each(yield func(e int32, holds bool) bool) {
	for e, b := range s.column.Each {
		if !yield(int32(e), s.meets(b)) {
			return
		}
	}
}

// Meeting returns the entities known to meet the filter, ascending. It examines each entity with a value once, and
// calls spend each time; if that returns false, the list ends there.
func (s *Selection) Meeting(spend func() bool) []int32 {
	if list := s.meeting.Load(); list != nil {
		return *list
	}
	list := []int32{}
	next := int32(0)
	add := func(e int32, holds bool) bool {
		for ; s.lenient && next < e && spend(); next++ {
			list = append(list, next)
		}
		next = e + 1
		if holds {
			list = append(list, e)
		}
		return spend()
	}
	for e, holds := range s.Each {
		if !add(e, holds) {
			return list
		}
	}
	if !add(int32(s.of.NumEntities()), false) {
		return list
	}
	s.meeting.Store(&list)
	return list
}

// meets reports whether an entity with these values meets the filter.
func (s *Selection) meets(b values.Block) bool {
	holds := false
	for i := range b.Len() {
		holds = holds || s.within.Has(b.Number(i))
	}
	return holds != s.by.Condition.Negated
}

// Known reports whether an entity has a value and meets the filter.
func (s *Selection) Known(e graph.EntityID) bool {
	holds, known := s.look(e)
	if !known {
		return s.lenient
	}
	return holds
}

// look reports whether an entity meets the filter, and whether it has a value.
func (s *Selection) look(e graph.EntityID) (holds, known bool) {
	b := s.column.Of(e)
	return s.meets(b), b.Len() > 0
}

// Attribute returns the name of the attribute.
func (s *Selection) Attribute() string { return s.by.Condition.Attribute }

// Witness returns the least value of an entity that meets the condition, or its least one if the filter is negated or
// none meets it. It reports false if there is none.
func (s *Selection) Witness(e graph.EntityID) (v values.Fact, known bool) {
	b := s.column.Of(e)
	if b.Len() == 0 {
		return v, false
	}
	at := 0
	for i := range b.Len() {
		if !s.by.Condition.Negated && s.within.Has(b.Number(i)) {
			at = i
			break
		}
	}
	return values.Fact{EntityValue: b.At(at), Attribute: s.Attribute(), Kind: s.by.Condition.kind()}, true
}

// Factor returns the degree to which an entity meets the filter: 1 or 0 if it has a value, and Unknown
// otherwise.
func (s *Selection) Factor(e graph.EntityID) float32 {
	holds, known := s.look(e)
	switch {
	case !known:
		return s.by.Unknown
	case holds:
		return 1
	}
	return 0
}

// Unknown is the degree to which entities without a value meet the filter: 0 unless the condition accepts them,
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

// Values bounds the number of entities that have a value, or count as having one.
func (s *Selection) Values() int {
	if s.lenient {
		return s.of.NumEntities()
	}
	return s.count
}
