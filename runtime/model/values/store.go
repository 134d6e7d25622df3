package values

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Values has the values of a model, by attribute. The list argument of a method is the model's attributes.
type Values struct {
	// stored has the values of all attributes in sequence, in the format of a bundle. It is empty after a change.
	stored Block
	// columns are the values by attribute.
	columns []Column
}

// New returns values, and their attributes by name. It takes ownership of the lists, which may be unsorted and have
// duplicates. The entities are the first n.
func New(list []AttributeValues, n int) (v Values, attributes []Attribute, err error) {
	slices.SortFunc(list, func(a, b AttributeValues) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range list {
		slices.SortFunc(a.Values, EntityValue.compare)
		a.Values = slices.Compact(a.Values)
		attributes = append(attributes, Attribute{a.Name, a.Kind, len(a.Values)})
		for _, x := range a.Values {
			v.stored.append(x)
		}
	}
	err = cmp.Or(CheckAttributes(attributes), v.validate(attributes, n))
	if err == nil {
		v.divide(attributes)
	}
	return v, attributes, err
}

// Stored returns the values of n entities in a bundle: it checks them, and keeps views of both lists.
func Stored(list []Attribute, entities []int32, numbers []byte, n int) (Values, error) {
	v := Values{stored: Block{entities, numbers}}
	if err := v.validate(list, n); err != nil {
		return v, err
	}
	v.divide(list)
	return v, nil
}

// Count returns the number of values of all attributes.
func Count(list []Attribute) (count int) {
	for _, a := range list {
		count += a.Values
	}
	return count
}

// Column returns the values of the attribute at index i.
func (v *Values) Column(i int) Column { return v.columns[i] }

// WithAttribute returns the values with one more attribute at index i, without values.
func (v *Values) WithAttribute(i int) Values {
	next := *v
	next.columns = slices.Insert(slices.Clone(v.columns), i, nil)
	return next
}

// validate checks the values of n entities.
func (v *Values) validate(list []Attribute, n int) error {
	start := 0
	for _, a := range list {
		for i := start; i < start+a.Values; i++ {
			x := v.stored.At(i)
			if err := x.check(a.Kind, n); err != nil {
				return fmt.Errorf("%q: index %d: %w", a.Name, i, err)
			}
			if i > start && v.stored.At(i-1).compare(x) >= 0 {
				return fmt.Errorf("%q: the values at index %d and before are not in order", a.Name, i)
			}
		}
		start += a.Values
	}
	return nil
}

// divide makes the columns views of the stored block.
func (v *Values) divide(list []Attribute) {
	v.columns = make([]Column, len(list))
	start := 0
	for i, a := range list {
		v.columns[i] = v.stored.part(start, start+a.Values).divided()
		start += a.Values
	}
}

// Changed reports whether the values differ from the stored ones.
func (v *Values) Changed() bool {
	return v.stored.entities == nil && slices.ContainsFunc(v.columns, func(c Column) bool { return len(c) > 0 })
}

// Plain returns the values in stored form.
func (v *Values) Plain(list []Attribute) Values {
	var p Values
	for _, c := range v.columns {
		for _, b := range c {
			p.stored.entities = append(p.stored.entities, b.entities...)
			p.stored.numbers = append(p.stored.numbers, b.numbers...)
		}
	}
	p.divide(list)
	return p
}

// OfEntities returns the values of a range of entities, numbered from its first one, with the number per attribute.
func (v *Values) OfEntities(list []Attribute, first, rows int) (own []Attribute, part Values) {
	lo := 0
	for _, a := range list {
		entities := v.stored.entities[lo : lo+a.Values]
		from, _ := slices.BinarySearch(entities, int32(first))
		to, _ := slices.BinarySearch(entities, int32(first+rows))
		for _, e := range entities[from:to] {
			part.stored.entities = append(part.stored.entities, e-int32(first))
		}
		part.stored.numbers = append(part.stored.numbers, v.stored.numbers[NumberBytes*(lo+from):NumberBytes*(lo+to)]...)
		lo += a.Values
		a.Values = to - from
		own = append(own, a)
	}
	part.divide(own)
	return own, part
}

// The names of the tensors of values in a bundle.
const (
	TensorEntities = "value.entity" // I32, by attribute, of the manifest's attributes; optional
	TensorNumbers  = "value.number" // U8 m × NumberBytes, of these entities: the bytes of a float64, the least first
)

// Tensors returns entities and numbers, nothing if there are none.
func (v *Values) Tensors() (entities, numbers []safetensors.Tensor) {
	if len(v.stored.entities) == 0 {
		return nil, nil
	}
	return []safetensors.Tensor{safetensors.From(TensorEntities, v.stored.entities)},
		[]safetensors.Tensor{safetensors.From(TensorNumbers, v.stored.numbers, len(v.stored.entities), NumberBytes)}
}

// Digest returns a hash of the values, which must be in stored form.
func (v *Values) Digest() uint64 {
	h := fnv.New64a()
	h.Write(v.stored.numbers)
	for _, e := range v.stored.entities {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(e)))
	}
	return h.Sum64()
}
