package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestEnds draws links of a graph, some of whose facts are held out, and compares what is known of their ends with lists of
// facts.
func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const n = 12
	var facts []graph.Triple
	for range 20 {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	full, err := graph.New(n, 2, facts)
	require.NoError(t, err)
	observed, err := graph.New(n, 2, facts[10:])
	require.NoError(t, err)
	o := &observer{model: runtime.NewModel(&model.Model{Graph: observed}), full: full}
	counts := map[[2]end]int{}
	for range 2000 {
		x := runtime.Observed{Head: graph.EntityID(rng.IntN(n+1) - 1), Relation: graph.RelationID(rng.IntN(5) - 1), Tail: graph.EntityID(rng.IntN(n+1) - 1)}
		want := [2]end{unsure, unsure}
		for i, f := range facts {
			if x.Relation&1 == 1 {
				f.Head, f.Tail = f.Tail, f.Head
			}
			for k, is := range []bool{f.Head == x.Head, f.Tail == x.Tail} {
				switch {
				case !is || f.Relation != int32(x.Relation/2):
				case i >= 10:
					want[k] = linked
				default:
					want[k] = min(want[k], lost)
				}
			}
		}
		for k, e := range []graph.EntityID{x.Head, x.Tail} {
			if e < 0 || x.Relation < 0 {
				want[k] = linked
			}
		}
		got, applies := o.ends(&x)
		counts[got]++
		if got != want || (applies > 0) != (got != [2]end{}) {
			t.Errorf("the ends of link %+v are %v, want %v, and it applies with chance %v", x, got, want, applies)
		}
	}
	for head := range unsure + 1 {
		for tail := range unsure + 1 {
			if counts[[2]end{head, tail}] < 20 {
				t.Errorf("the ends are %v", counts)
			}
		}
	}
}
