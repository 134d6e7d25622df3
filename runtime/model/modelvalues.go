package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// WithValues returns the model with the given values instead of its own. It takes ownership of the lists, which may
// be unsorted and have duplicates.
func (m *Model) WithValues(list []values.AttributeValues) (*Model, error) {
	next := *m
	var err error
	next.values, next.Manifest.Attributes, err = values.New(list, m.NumEntities())
	if err != nil {
		return nil, err
	}
	return &next, nil
}

// attribute returns the index of an attribute. An IRI may be shortened to a prefixed name, or to its unique part
// at the end, see values.LocalName. The error carries no suggestions.
func (m *Model) attribute(name string) (int, error) {
	return values.Find(m.Manifest.Attributes, name, m.expand(name))
}

// WithAttribute returns the model with one more attribute, which has no values yet.
func (m *Model) WithAttribute(a values.Attribute) *Model {
	next := *m
	at, _ := values.Search(m.Manifest.Attributes, a.Name)
	next.Manifest.Attributes = slices.Insert(slices.Clone(m.Manifest.Attributes), at, a)
	next.values = m.values.WithAttribute(at)
	return &next
}

// errNoValues explains why a model has no attributes.
var errNoValues = errors.New("the model has no values: add some, or read its graph with literals=values")

// FindAttribute is Attribute without suggestions in the error.
func (m *Model) FindAttribute(name string) (values.Attribute, error) {
	at, err := m.attribute(name)
	if err != nil {
		return values.Attribute{}, err
	}
	return m.Manifest.Attributes[at], nil
}

// Attribute returns the attribute with that name, prefixed name or local name. The error for an unknown name suggests
// similar ones.
func (m *Model) Attribute(name string) (values.Attribute, error) {
	a, err := m.FindAttribute(name)
	unknown, ok := errors.AsType[*names.UnknownError](err)
	switch {
	case !ok:
		return a, err
	case len(m.Manifest.Attributes) == 0:
		return a, fmt.Errorf("unknown attribute %q: %w", name, errNoValues)
	}
	unknown.Nearest = m.NearestAttributes(name, names.MaxSuggestions)
	return a, unknown
}

// NearestAttributes returns at most max names of attributes like name, best first, as local names if these are
// unique.
func (m *Model) NearestAttributes(name string, max int) []string {
	var list []string
	for _, a := range m.Manifest.Attributes {
		local := values.LocalName(a.Name)
		_, ambiguous := m.attribute(local)
		if ambiguous == nil && !slices.Contains(list, local) {
			list = append(list, local)
		} else {
			list = append(list, a.Name)
		}
	}
	x, err := names.New("attribute", list, nil)
	if err != nil {
		return nil
	}
	return x.Nearest(name, max)
}

// Values returns the values of an entity, by attribute.
func (m *Model) Values(e graph.EntityID) (list []values.Value) {
	for _, a := range m.Manifest.Attributes {
		for _, v := range m.ValuesOf(e, a.Name) {
			list = append(list, values.Value{Attribute: a.Name, Kind: a.Kind, Value: a.Kind.Text(v.Number)})
		}
	}
	return list
}

// EachValue yields all values, by attribute, entity and number.
func (m *Model) EachValue(yield func(values.Fact) bool) {
	for i, a := range m.Manifest.Attributes {
		for _, b := range m.values.Column(i).Each {
			for k := range b.Len() {
				if !yield(values.Fact{EntityValue: b.At(k), Attribute: a.Name, Kind: a.Kind}) {
					return
				}
			}
		}
	}
}

// ValuesOf returns the values that an entity has of an attribute, by number.
func (m *Model) ValuesOf(e graph.EntityID, attribute string) (list []values.Fact) {
	at, err := m.attribute(attribute)
	if err != nil {
		return nil
	}
	a := m.Manifest.Attributes[at]
	b := m.values.Column(at).Of(e)
	for i := range b.Len() {
		list = append(list, values.Fact{EntityValue: b.At(i), Attribute: a.Name, Kind: a.Kind})
	}
	return list
}

// HasValue reports whether the model has a value.
func (m *Model) HasValue(v values.Fact) bool {
	at, exact := values.Search(m.Manifest.Attributes, v.Attribute)
	return exact && m.values.Column(at).Of(v.Entity).Has(v.Number)
}

// HasSeveralValues reports whether an entity has several values of an attribute.
func (m *Model) HasSeveralValues(attribute string) bool {
	at, err := m.attribute(attribute)
	if err != nil {
		return false
	}
	for _, b := range m.values.Column(at).Each {
		if b.Len() > 1 {
			return true
		}
	}
	return false
}
