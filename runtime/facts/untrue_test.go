package facts_test

import (
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestUntrue: a fact marked as not true goes, stays marked whatever happens to the bundle, and loses the mark
// when it is added or removed.
func TestUntrue(t *testing.T) {
	path := town(t, 5)
	m, s := open(t, path)
	marked := func(m *runtime.Model) (list []graph.Triple) {
		if g := m.Now().Bundle().Untrue; g != nil {
			heads, tails := g.Edges(0)
			for i, h := range heads {
				list = append(list, graph.Triple{Head: graph.EntityID(h), Tail: graph.EntityID(tails[i])})
			}
		}
		return list
	}
	apply := func(want model.Changed, c facts.Change) {
		t.Helper()
		done, err := s.Apply(t.Context(), c)
		require.NoError(t, err)
		same(t, done.Changed, want)
	}
	apply(model.Changed{Removed: 2, Marked: 3}, facts.Change{Untrue: list(near(0, 1), near(1, 2), near(3, 4)), By: "ann"}) // one is held back
	apply(model.Changed{}, facts.Change{Untrue: list(near(3, 4))})
	apply(model.Changed{Added: 1, Unmarked: 1}, facts.Change{Add: list(near(0, 1)), Untrue: list(near(0, 1)), By: "bob"})
	apply(model.Changed{Absent: 1, Unmarked: 1}, facts.Change{Remove: list(near(1, 2))})
	apply(model.Changed{Absent: 1}, facts.Change{Remove: list(near(1, 2))})
	apply(model.Changed{Added: 1, Marked: 1}, facts.Change{Key: "k", Add: list(near(4, 0)), Untrue: list(near(2, 3))})
	again, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(4, 0)), Untrue: list(near(2, 3))})
	require.NoError(t, err)
	same(t, again.Repeated && again.Marked == 1 && again.Added == 1, true)

	want := []graph.Triple{{Head: 2, Tail: 3}, {Head: 3, Tail: 4}}
	same(t, marked(m), want)
	by := func(m *runtime.Model, f graph.Triple) string {
		o := m.Now().Bundle().Origin(f)
		same(t, o != nil && !o.Time.IsZero(), true)
		return o.By
	}
	same(t, by(m, graph.Triple{Tail: 1}), "bob")
	same(t, by(m, graph.Triple{Head: 4}), "")
	require.NoError(t, s.Close())

	again2, s2 := open(t, path)
	same(t, marked(again2), want)
	same(t, by(again2, graph.Triple{Tail: 1}), "bob")
	_, err = s2.Compact(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, s2.Close())
	compacted, _ := open(t, path)
	same(t, marked(compacted), want)
	same(t, compacted.Now().Bundle().Origin(graph.Triple{Tail: 1}), (*model.Origin)(nil))
	same(t, has(compacted, 0, 1) && has(compacted, 4, 0) && !has(compacted, 1, 2), true)
}
