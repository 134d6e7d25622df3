package facts_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// people says of each fact and value that is there who added it; it is empty for those of the bundle.
type people map[facts.Fact]string

// apply makes a change: what is added is not removed, and what is there keeps who added it.
func (p people) apply(c facts.Change) {
	adds := map[facts.Fact]bool{}
	replaces := map[[2]string]bool{}
	for _, f := range c.Add {
		adds[f] = true
		replaces[[2]string{f[0], f[1]}] = f[1] != "near"
	}
	gone := slices.Concat(c.Remove, c.Untrue)
	for f := range p {
		if c.Replace && replaces[[2]string{f[0], f[1]}] {
			gone = append(gone, f)
		}
	}
	for _, f := range gone {
		if !adds[f] {
			delete(p, f)
		}
	}
	for f := range adds {
		if _, there := p[f]; !there {
			p[f] = c.By
		}
	}
}

// added lists who added what a model has, as it says.
func added(m *runtime.Model) people {
	p := people{}
	now := m.Now().Bundle()
	heads, tails := now.Graph.Edges(0)
	for i, h := range heads {
		f := graph.Triple{Head: graph.EntityID(h), Tail: graph.EntityID(tails[i])}
		p[now.NamesOf(f)] = by(now.Origin(f))
	}
	for v := range now.EachValue {
		p[facts.Fact{now.EntityName(v.Entity), v.Attribute, v.Kind.Text(v.Number)}] = by(now.ValueOrigin(v))
	}
	return p
}

func by(o *model.Origin) string {
	if o == nil {
		return ""
	}
	return o.By
}

// randomChange draws a change in which the same facts and values may stand in several lists, and several times.
func randomChange(rng *rand.Rand) facts.Change {
	c := facts.Change{By: []string{"ann", "bob", "eve"}[rng.IntN(3)], Replace: rng.IntN(3) == 0, New: true}
	for range 1 + rng.IntN(8) {
		f := near(rng.IntN(3), rng.IntN(3))
		isValue := rng.IntN(2) == 0
		if isValue {
			f = facts.Fact{fmt.Sprint("e", rng.IntN(2)), "size", fmt.Sprint(rng.IntN(4))}
		}
		switch rng.IntN(5) {
		case 0, 1:
			c.Add = append(c.Add, f, f)
		case 2:
			c.Add = append(c.Add, f)
			c.Remove = append(c.Remove, f)
		case 3:
			c.Remove = append(c.Remove, f)
		default:
			if !isValue {
				c.Untrue = append(c.Untrue, f)
			}
		}
	}
	return c
}

// TestOrigins makes random changes: the model in use, one that follows and one that is opened again say the same of
// who added each fact and value, and so does a map. A record of the journal has each fact and value in one list, once.
func TestOrigins(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 8))
	for range 20 {
		path := town(t, 3)
		m, s := open(t, path)
		follower := reopened(t, path)
		want := people{near(0, 1): ""}
		_, err := s.Apply(t.Context(), facts.Change{New: true, Add: list(facts.Fact{"e0", "size", "0"})})
		require.NoError(t, err)
		want[facts.Fact{"e0", "size", "0"}] = ""
		for range 15 {
			c := randomChange(rng)
			_, err := s.Apply(t.Context(), c)
			require.NoError(t, err)
			want.apply(c)
			if rng.IntN(3) == 0 {
				require.NoError(t, facts.Follow(path, follower))
				same(t, added(follower), want)
			}
			same(t, added(m), want)
		}
		same(t, added(reopened(t, path)), want)
		checkRecords(t, path, m.Bundle().Identity())
	}
}

// checkRecords expects each fact and value of a record once, in one list.
func checkRecords(t *testing.T, path, bundle string) {
	t.Helper()
	c, err := journal.Read(journal.Path(path), bundle)
	require.NoError(t, err)
	for i, b := range c.Batches {
		seen := map[any]bool{}
		for _, f := range slices.Concat(b.Add, b.Remove, b.Untrue) {
			if seen[f] {
				t.Errorf("record %d has %v twice", i, f)
			}
			seen[f] = true
		}
		for _, v := range slices.Concat(b.AddValues, b.RemoveValues) {
			if seen[v] {
				t.Errorf("record %d has %v twice", i, v)
			}
			seen[v] = true
		}
	}
}

// TestOriginsOldRecords replays a record that has a value and a fact both to add and to remove, as an earlier version
// wrote them: what is there keeps who added it.
func TestOriginsOldRecords(t *testing.T) {
	path := town(t, 3)
	m, s := open(t, path)
	_, err := s.Apply(t.Context(), facts.Change{New: true, By: "ann", Add: list(near(1, 1), facts.Fact{"e1", "size", "48"})})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	w, c, err := journal.Open(journal.Path(path), m.Bundle().Identity())
	require.NoError(t, err)
	b := c.Batches[0]
	b.Remove = b.Add
	b.RemoveValues = b.AddValues
	b.By = "bob"
	require.NoError(t, w.Append([]journal.Batch{b}))
	require.NoError(t, w.Close())
	same(t, added(reopened(t, path)), people{near(0, 1): "", near(1, 1): "ann", {"e1", "size", "48"}: "ann"})
}

// TestOriginsForgotten: what is removed has no origin that takes memory.
func TestOriginsForgotten(t *testing.T) {
	path := town(t, 3)
	m, s := open(t, path)
	var gone []values.Fact
	for i := range 50 {
		_, err := s.Apply(t.Context(), facts.Change{New: true, Replace: true, By: "ann", Add: list(near(2, 2), facts.Fact{"e1", "size", fmt.Sprint(i)})})
		require.NoError(t, err)
		gone = append(gone, m.Now().Bundle().ValuesOf(1, "size")...)
		_, err = s.Apply(t.Context(), facts.Change{Remove: list(near(2, 2))})
		require.NoError(t, err)
	}
	for _, m := range []*runtime.Model{m, reopened(t, path)} {
		kept := map[string]int{}
		for _, v := range gone {
			kept[by(m.Now().Bundle().ValueOrigin(v))]++
		}
		same(t, maps.Equal(kept, map[string]int{"": 49, "ann": 1}), true)
		same(t, m.Now().Bundle().Origin(graph.Triple{Head: 2, Tail: 2}), (*model.Origin)(nil))
	}
}
