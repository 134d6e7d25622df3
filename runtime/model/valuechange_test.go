package model_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// statedValues are the values that a model should have.
type statedValues map[values.Fact]bool

// sorted lists the values by attribute, entity and number.
func (s statedValues) sorted() []values.Fact {
	return slices.SortedFunc(maps.Keys(s), func(a, b values.Fact) int {
		return cmp.Or(strings.Compare(a.Attribute, b.Attribute), cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Number, b.Number))
	})
}

// randomValue draws a value of one of three attributes, of which the last is new to the model at first. Most entities
// of the first have one, some of the second have many.
func randomValue(rng *rand.Rand, n int) values.Fact {
	v := values.Fact{Attribute: "size", Kind: values.NumberKind}
	v.Entity = graph.EntityID(rng.IntN(n))
	v.Number = float64(rng.IntN(3))
	switch rng.IntN(8) {
	case 0:
		v = values.Fact{EntityValue: values.EntityValue{Entity: graph.EntityID(rng.IntN(3)), Number: float64(rng.IntN(9000)) / 4}, Attribute: "many", Kind: values.NumberKind}
	case 1:
		v.Attribute = "zborn"
		v.Kind = values.DateKind
	}
	return v
}

// check compares the values of a model with those that it should have.
func (s statedValues) check(t *testing.T, m *model.Model) {
	t.Helper()
	want := s.sorted()
	if got := slices.Collect(m.EachValue); !slices.Equal(got, want) {
		t.Fatalf("the model has %d values, want %d", len(got), len(want))
	}
	counts := map[string]int{}
	for _, v := range want {
		counts[v.Attribute]++
	}
	for _, a := range m.Manifest.Attributes {
		if a.Values != counts[a.Name] {
			t.Errorf("%d values of %s, want %d", a.Values, a.Name, counts[a.Name])
		}
	}
	least := map[graph.EntityID]bool{} // entities with a size, and whether one is at least 2
	for _, v := range want {
		if v.Attribute == "size" {
			least[v.Entity] = least[v.Entity] || v.Number >= 2
		}
	}
	f, err := m.Select(model.Condition{Attribute: "size", Comparisons: []model.Comparison{{Operator: ">=", Value: "2"}}})
	require.NoError(t, err)
	got := map[graph.EntityID]bool{}
	for e, holds := range f.Each {
		got[graph.EntityID(e)] = holds
	}
	if !maps.Equal(got, least) {
		t.Errorf("a filter selects among %d entities, want %d", len(got), len(least))
	}
	for e := range graph.EntityID(m.NumEntities()) {
		if f.Known(e) != least[e] {
			t.Fatalf("entity %d meets the filter: %v", e, f.Known(e))
		}
	}
}

// TestChangeValues makes random changes, small and large, and compares each snapshot with a set of values: its
// values, its filters, and the bytes of its bundle, which are those of a model made of the values at once.
func TestChangeValues(t *testing.T) {
	const n = 9000
	rng := rand.New(rand.NewPCG(47, 5))
	empty := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Facts: []graph.Triple{{Head: 0, Tail: 1}}})
	want := statedValues{}
	m, err := empty.WithValues([]values.AttributeValues{{Name: "size", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 1, Number: 7}}}})
	require.NoError(t, err)
	want[values.Fact{EntityValue: values.EntityValue{Entity: 1, Number: 7}, Attribute: "size", Kind: values.NumberKind}] = true
	for round := range 30 {
		before := maps.Clone(want)
		old := m
		count := []int{1, 5, 300, 30_000}[round%4]
		var c model.Change
		var done model.Changed
		counted := statedValues{}
		for range count {
			v := randomValue(rng, n)
			if counted[v] {
				continue
			}
			counted[v] = true
			there := want[v]
			if rng.IntN(5) < 3 {
				c.AddValues = append(c.AddValues, v, v)
				want[v] = true
				if there {
					done.Present++
				} else {
					done.Added++
				}
				if rng.IntN(9) == 0 {
					c.RemoveValues = append(c.RemoveValues, v) // is added
				}
				continue
			}
			c.RemoveValues = append(c.RemoveValues, v)
			delete(want, v)
			if there {
				done.Removed++
			} else {
				done.Absent++
			}
		}
		next, got, err := m.With(c)
		require.NoError(t, err)
		if got != done {
			t.Fatalf("round %d: %+v, want %+v", round, got, done)
		}
		m = next
		want.check(t, m)
		if round%5 == 0 {
			before.check(t, old)
		}
	}
	var changed, made bytes.Buffer
	require.NoError(t, model.Write(&changed, m))
	byName := map[string]values.AttributeValues{}
	for v := range want {
		a := byName[v.Attribute]
		byName[v.Attribute] = values.AttributeValues{Name: v.Attribute, Kind: v.Kind, Values: append(a.Values, v.EntityValue)}
	}
	at, err := empty.WithValues(slices.Collect(maps.Values(byName)))
	require.NoError(t, err)
	require.NoError(t, model.Write(&made, at))
	if !bytes.Equal(changed.Bytes(), made.Bytes()) {
		t.Error("the bundle of a changed model differs from one made of its values")
	}
	again, err := model.OpenBytes("changed", changed.Bytes())
	require.NoError(t, err)
	want.check(t, again)
}

// TestChangeValuesErrors refuses values that a model cannot have, and then changes nothing; an attribute stays without
// values.
func TestChangeValuesErrors(t *testing.T) {
	m := valued(t)
	size := values.Fact{EntityValue: values.EntityValue{Entity: 4, Number: 0.5}, Attribute: "http://x.org/size", Kind: values.NumberKind}
	date := size
	date.Kind = values.DateKind
	far := size
	far.Entity = 5
	for text, v := range map[string]values.Fact{"size is a number, such as 12.5": date, "entity 5, want 0 to 4": far} {
		if _, _, err := m.With(model.Change{AddValues: []values.Fact{v}}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v, want %s", err, text)
		}
	}
	var many []values.Fact
	for i := range values.MaxAttributes {
		v := size
		v.Attribute = fmt.Sprint("a", i)
		many = append(many, v)
	}
	if _, _, err := m.With(model.Change{AddValues: many}); err == nil || !strings.Contains(err.Error(), "there are 1002, want at most 1000") {
		t.Errorf("the error is %v", err)
	}

	born := m.ValuesOf(1, "born")
	next, done, err := m.With(model.Change{RemoveValues: born})
	require.NoError(t, err)
	if a, err := next.Attribute("born"); err != nil || a.Values != 0 || done.Removed != 1 || len(m.ValuesOf(1, "born")) != 1 {
		t.Errorf("attribute born is %+v, %v after %+v", a, err, done)
	}
	same, done, err := next.With(model.Change{RemoveValues: born})
	require.NoError(t, err)
	if same != next || done.Absent != 1 {
		t.Errorf("nothing changes, and the model is another: %+v", done)
	}
	again := model.Change{AddValues: born, Origin: model.Origin{Time: time.Unix(1, 0), By: "ann"}}
	back, _, err := same.With(again)
	require.NoError(t, err)
	same.Note(again)
	if o := back.ValueOrigin(born[0]); o == nil || o.By != "ann" || back.ValueOrigin(size) != nil {
		t.Errorf("the origin is %v", o)
	}
}
