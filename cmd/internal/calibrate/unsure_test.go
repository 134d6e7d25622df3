package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestUnsure draws links of a graph, and compares the ones to learn from with lists of facts: each end that is known has a
// fact of the relation.
func TestUnsure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const n = 12
	var facts []graph.Triple
	for range 20 {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	full, err := graph.New(n, 2, facts)
	require.NoError(t, err)
	o := &observer{full: full}
	counts := map[bool]int{}
	for range 1000 {
		x := runtime.Observed{Head: graph.EntityID(rng.IntN(n+1) - 1), Relation: graph.RelationID(rng.IntN(5) - 1), Tail: graph.EntityID(rng.IntN(n+1) - 1)}
		head := x.Head < 0
		tail := x.Tail < 0
		for _, f := range facts {
			if x.Relation&1 == 1 {
				f.Head, f.Tail = f.Tail, f.Head
			}
			if f.Relation == int32(x.Relation/2) {
				head = head || f.Head == x.Head
				tail = tail || f.Tail == x.Tail
			}
		}
		want := x.Relation >= 0 && !(head && tail)
		counts[want]++
		if got := o.unsure(&x); got != want {
			t.Errorf("a link %+v is unsure: %v, want %v", x, got, want)
		}
	}
	if min(counts[true], counts[false]) < 100 {
		t.Errorf("the links are unsure: %v", counts)
	}
}
