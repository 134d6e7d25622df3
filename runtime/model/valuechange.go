package model

import (
	"cmp"
	"fmt"
	"github.com/efoc/efoc/runtime/model/graph"
	"slices"
	"strings"
)

// ValueFact says that an entity has a value of an attribute, which is named by its full name.
type ValueFact struct {
	EntityValue
	Attribute string
	Kind      ValueKind
}

// compareValues orders values by attribute, entity and number.
func compareValues(a, b ValueFact) int {
	return cmp.Or(strings.Compare(a.Attribute, b.Attribute), a.compare(b.EntityValue))
}

// ValuesOf returns the values that an entity has of an attribute, by number.
func (m *Model) ValuesOf(e graph.EntityID, attribute string) (list []ValueFact) {
	at, err := m.attribute(attribute)
	if err != nil {
		return nil
	}
	a := m.Manifest.Attributes[at]
	b := m.values.columns[at].of(e)
	for i := range b.entities {
		list = append(list, ValueFact{b.at(i), a.Name, a.Kind})
	}
	return list
}

// hasValue reports whether the model has a value.
func (m *Model) hasValue(v ValueFact) bool {
	at, exact := searchAttribute(m.Manifest.Attributes, v.Attribute)
	return exact && m.values.columns[at].of(v.Entity).has(v.Number)
}

// valueEdit adds or removes a value.
type valueEdit struct {
	ValueFact
	there bool
}

// valueEdits returns the edits of a settled change, by attribute, entity and number.
func valueEdits(add, remove []ValueFact) (edits []valueEdit) {
	for _, v := range add {
		edits = append(edits, valueEdit{v, true})
	}
	for _, v := range remove {
		edits = append(edits, valueEdit{v, false})
	}
	slices.SortFunc(edits, func(a, b valueEdit) int { return compareValues(a.ValueFact, b.ValueFact) })
	return edits
}

// changeValues adds and removes values, and counts them. An attribute that the model lacks is a new one; an
// attribute stays when its last value goes.
func (m *Model) changeValues(add, remove []ValueFact) (done Changed, err error) {
	edits := valueEdits(add, remove)
	next := values{columns: slices.Clone(m.values.columns)}
	attributes := slices.Clone(m.Manifest.Attributes)
	for len(edits) > 0 {
		name := edits[0].Attribute
		end := slices.IndexFunc(edits, func(x valueEdit) bool { return x.Attribute != name })
		if end < 0 {
			end = len(edits)
		}
		mine := edits[:end]
		edits = edits[end:]

		at, known := searchAttribute(attributes, name)
		if !known {
			attributes = slices.Insert(attributes, at, Attribute{Name: name, Kind: mine[0].Kind})
			next.columns = slices.Insert(next.columns, at, nil)
		}
		a := &attributes[at]
		for _, x := range mine {
			err := x.check(a.Kind, m.NumEntities())
			if x.Kind != a.Kind {
				err = WantKind(*a)
			}
			if err != nil {
				return done, fmt.Errorf("value of %q: %w", name, err)
			}
		}
		column, added, removed := next.columns[at].with(mine)
		next.columns[at] = column
		a.Values += added - removed
		done.count(mine, added, removed)
	}
	if done.Added+done.Removed > 0 || len(attributes) > len(m.Manifest.Attributes) {
		m.values = next
		m.Manifest.Attributes = attributes
	}
	return done, validateAttributes(attributes)
}

// count counts edits that have added and removed values.
func (c *Changed) count(edits []valueEdit, added, removed int) {
	add := 0
	for _, x := range edits {
		if x.there {
			add++
		}
	}
	c.Added += added
	c.Present += add - added
	c.Removed += removed
	c.Absent += len(edits) - add - removed
}

// WantKind says how the values of an attribute are written.
func WantKind(a Attribute) error {
	return fmt.Errorf("%s is a %s, such as %s", a.Name, a.Kind, a.Kind.example())
}
