package values

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
)

// EntityValue is a value of an entity.
type EntityValue struct {
	Entity graph.EntityID
	Number float64
}

// compare orders values by entity and number.
func (v EntityValue) compare(other EntityValue) int {
	return cmp.Or(cmp.Compare(v.Entity, other.Entity), cmp.Compare(v.Number, other.Number))
}

// check reports an entity outside n or an invalid number of a kind.
func (v EntityValue) check(kind Kind, n int) error {
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

// Fact is a value of an entity for an attribute, given by its full name.
type Fact struct {
	EntityValue
	Attribute string
	Kind      Kind
}

// Compare orders values by attribute, entity and number.
func (v Fact) Compare(other Fact) int {
	return cmp.Or(strings.Compare(v.Attribute, other.Attribute), v.compare(other.EntityValue))
}

// Value is a value of an entity, as text.
type Value struct {
	Attribute string `json:"attribute"`
	Kind      Kind   `json:"kind"`
	Value     string `json:"value"`
}
