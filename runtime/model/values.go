package model

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Attribute describes the values of one attribute: an entity may have none, one or several.
type Attribute struct {
	Name string    `json:"name"`
	Kind ValueKind `json:"kind"`
	// Values counts them.
	Values int `json:"values"`
}

// AttributeValues are the values of an attribute, to make a model with. Dates are the seconds since 1970.
type AttributeValues struct {
	Name   string
	Kind   ValueKind
	Values []EntityValue
}

// EntityValue is a value of an entity.
type EntityValue struct {
	Entity graph.EntityID
	Number float64
}

// compare orders values by entity and number.
func (v EntityValue) compare(other EntityValue) int {
	return cmp.Or(cmp.Compare(v.Entity, other.Entity), cmp.Compare(v.Number, other.Number))
}

// values has the values of a model.
type values struct {
	// valueBlock has the values of one attribute after another, as a bundle stores them. It is empty after a change.
	valueBlock
	// columns are the values by attribute.
	columns []column
}

const (
	maxValues   = math.MaxInt32
	numberBytes = 8
	// MaxAttributes bounds the attributes of a model.
	MaxAttributes = 1000
)

// WithValues returns the model with other values. It takes ownership of the lists, whose order does not
// matter; repeated values count once.
func (m *Model) WithValues(list []AttributeValues) (*Model, error) {
	next := *m
	next.values = values{}
	next.Manifest.Attributes = nil
	slices.SortFunc(list, func(a, b AttributeValues) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range list {
		slices.SortFunc(a.Values, EntityValue.compare)
		a.Values = slices.Compact(a.Values)
		next.Manifest.Attributes = append(next.Manifest.Attributes, Attribute{a.Name, a.Kind, len(a.Values)})
		for _, x := range a.Values {
			next.values.append(x)
		}
	}
	err := cmp.Or(validateAttributes(next.Manifest.Attributes), next.values.validate(next.Manifest.Attributes, m.NumEntities()))
	if err != nil {
		return nil, err
	}
	next.values.divide(next.Manifest.Attributes)
	return &next, nil
}

// validateAttributes checks attributes without their values.
func validateAttributes(list []Attribute) error {
	if len(list) > MaxAttributes {
		return fmt.Errorf("there are %d, want at most %d", len(list), MaxAttributes)
	}
	sum := 0
	for i, a := range list {
		switch {
		case a.Values < 0 || a.Values > maxValues-sum:
			return fmt.Errorf("%q has %d values, want at least 0, and at most %d of all", a.Name, a.Values, maxValues)
		case i > 0 && a.Name <= list[i-1].Name:
			return fmt.Errorf("%q follows %q, want the names to ascend", a.Name, list[i-1].Name)
		}
		if err := cmp.Or(names.Check(a.Name), a.Kind.Check()); err != nil {
			return fmt.Errorf("%q: %w", a.Name, err)
		}
		sum += a.Values
	}
	return nil
}

// validate checks the values of n entities.
func (v *values) validate(list []Attribute, n int) error {
	start := 0
	for _, a := range list {
		for i := start; i < start+a.Values; i++ {
			x := v.at(i)
			if err := x.check(a.Kind, n); err != nil {
				return fmt.Errorf("%q: index %d: %w", a.Name, i, err)
			}
			if i > start && v.at(i-1).compare(x) >= 0 {
				return fmt.Errorf("%q: the values at index %d and before are not in order", a.Name, i)
			}
		}
		start += a.Values
	}
	return nil
}

// check reports a value of a kind that none of n entities can have.
func (v EntityValue) check(kind ValueKind, n int) error {
	switch {
	case v.Entity < 0 || int(v.Entity) >= n:
		return fmt.Errorf("entity %d, want 0 to %d", v.Entity, n-1)
	case v.Number-v.Number != 0 || math.Abs(v.Number) > maxDate && kind == DateKind:
		return fmt.Errorf("the number is %v", v.Number)
	}
	return nil
}

// maxDate bounds dates: the seconds of a million years.
const maxDate = 1_000_000 * 366 * 86_400

// tensors returns entities and numbers, nothing if there are none.
func (v *values) tensors() (entities, numbers []safetensors.Tensor) {
	if len(v.entities) == 0 {
		return nil, nil
	}
	return []safetensors.Tensor{safetensors.From(tensorValueEntities, v.entities)},
		[]safetensors.Tensor{safetensors.From(tensorValues, v.numbers, len(v.entities), numberBytes)}
}

// values returns the values of the manifest's attributes of n entities.
func (r *bundleReader) values(list []Attribute, n int) values {
	count := 0
	for _, a := range list {
		count += a.Values
	}
	if count == 0 {
		return values{columns: make([]column, len(list))}
	}
	var v values
	v.entities = elements[int32](r, r.shaped(tensorValueEntities, count))
	v.numbers = r.typed(tensorValues, safetensors.U8, count, numberBytes).Data
	if r.err == nil {
		r.err = v.validate(list, n)
	}
	if r.err != nil {
		r.err = fmt.Errorf("values: %w", r.err)
		return v
	}
	v.divide(list)
	return v
}

// ofEntities returns the values of a range of entities, which count from its first one, and how many each attribute
// has.
func (v *values) ofEntities(list []Attribute, first, rows int) (own []Attribute, part values) {
	lo := 0
	for _, a := range list {
		entities := v.entities[lo : lo+a.Values]
		from, _ := slices.BinarySearch(entities, int32(first))
		to, _ := slices.BinarySearch(entities, int32(first+rows))
		for _, e := range entities[from:to] {
			part.entities = append(part.entities, e-int32(first))
		}
		part.numbers = append(part.numbers, v.numbers[numberBytes*(lo+from):numberBytes*(lo+to)]...)
		lo += a.Values
		a.Values = to - from
		own = append(own, a)
	}
	part.divide(own)
	return own, part
}

// attribute returns the index of an attribute. An IRI may be shortened to a prefixed name, or to what follows the
// last / or # if no other ends so. The error carries no suggestions.
func (m *Model) attribute(name string) (int, error) {
	list := m.Manifest.Attributes
	at, exact := searchAttribute(list, m.expand(name))
	if exact {
		return at, nil
	}
	var found []int
	for i, a := range list {
		if localName(a.Name) == name {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, &names.UnknownError{Kind: "attribute", Name: name, Range: -1}
	case 1:
		return found[0], nil
	}
	ambiguous := &names.AmbiguousError{Kind: "attribute", Label: name, Count: len(found)}
	for _, i := range found[:min(len(found), names.MaxCandidates)] {
		ambiguous.Candidates = append(ambiguous.Candidates, list[i].Name)
	}
	return 0, ambiguous
}

// searchAttribute returns where an attribute of that whole name is, or would be.
func searchAttribute(list []Attribute, name string) (at int, found bool) {
	return slices.BinarySearchFunc(list, name, func(a Attribute, name string) int { return strings.Compare(a.Name, name) })
}

// WithAttribute returns the model with one more attribute, which has no values yet.
func (m *Model) WithAttribute(a Attribute) *Model {
	next := *m
	at, _ := searchAttribute(m.Manifest.Attributes, a.Name)
	next.Manifest.Attributes = slices.Insert(slices.Clone(m.Manifest.Attributes), at, a)
	next.values.columns = slices.Insert(slices.Clone(m.values.columns), at, nil)
	return &next
}

// localName returns what follows the last / or # of an IRI.
func localName(iri string) string { return iri[strings.LastIndexAny(iri, "/#")+1:] }

// errNoValues is the reason why a model knows no attribute.
var errNoValues = errors.New("the model has no values: add some, or read its graph with literals=values")

// FindAttribute is Attribute whose error carries no suggestions.
func (m *Model) FindAttribute(name string) (Attribute, error) {
	at, err := m.attribute(name)
	if err != nil {
		return Attribute{}, err
	}
	return m.Manifest.Attributes[at], nil
}

// Attribute returns the attribute of that name, or that prefixed or local name. The error of an unknown
// name suggests similar ones.
func (m *Model) Attribute(name string) (Attribute, error) {
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

// NearestAttributes returns at most max names of attributes like name, best first, local ones where they do.
func (m *Model) NearestAttributes(name string, max int) []string {
	var list []string
	for _, a := range m.Manifest.Attributes {
		local := localName(a.Name)
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

// Value is a value of an entity, as text.
type Value struct {
	Attribute string    `json:"attribute"`
	Kind      ValueKind `json:"kind"`
	Value     string    `json:"value"`
}

// Values returns the values of an entity, by attribute.
func (m *Model) Values(e graph.EntityID) (list []Value) {
	for _, a := range m.Manifest.Attributes {
		for _, v := range m.ValuesOf(e, a.Name) {
			list = append(list, Value{a.Name, a.Kind, a.Kind.Text(v.Number)})
		}
	}
	return list
}

// EachValue yields all values, by attribute, entity and number.
func (m *Model) EachValue(yield func(ValueFact) bool) {
	for i, a := range m.Manifest.Attributes {
		for _, b := range m.values.columns[i] {
			for k := range b.entities {
				if !yield(ValueFact{b.at(k), a.Name, a.Kind}) {
					return
				}
			}
		}
	}
}

// digest returns a number that equal values share, and others hardly ever. The values are as they are stored.
func (v *values) digest() uint64 {
	h := fnv.New64a()
	h.Write(v.numbers)
	for _, e := range v.entities {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(e)))
	}
	return h.Sum64()
}
