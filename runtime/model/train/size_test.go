package train

import (
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestMemory compares the memory that is predicted with what a training holds once it
// has validated, when it holds most.
func TestMemory(t *testing.T) {
	const n, relations, facts = 60_000, 4, 40_000
	rng := rand.New(rand.NewPCG(1, 2))
	var list []graph.Triple
	for range facts {
		list = append(list, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: rng.Int32N(relations), Tail: graph.EntityID(rng.IntN(n))})
	}
	g, err := graph.New(n, relations, list)
	require.NoError(t, err)
	for _, c := range []struct {
		negatives, threads int
		ranked             bool
		members            int
	}{{500, 1, true, 1}, {500, 2, true, 1}, {500, 1, false, 1}, {0, 2, true, 1}, {500, 1, true, 2}} { // of more members, joining them takes the most
		o := DefaultOptions()
		o.Rank, o.Batch, o.Negatives, o.Members = 16, 256, c.negatives, c.members
		if c.negatives == 0 {
			o.Batch = 64 // all entities are many candidates
		}
		var valid *Test
		if c.ranked {
			valid = NewTest(list[:2*testBatch], g)
		}
		before := heap()
		r, err := NewRun(g, o, Schedule{Epochs: 1, Every: 1}, valid, c.threads)
		require.NoError(t, err)
		for range 3 {
			if _, err := r.Trainer.Step(0); err != nil {
				t.Fatal(err)
			}
		}
		if valid != nil {
			r.best = r.Trainer.snapshot(nil)
		}
		for range c.members - 1 {
			r.members = append(r.members, r.current())
			r.best = r.Trainer.snapshot(nil)
		}
		held := heap() - before
		if got := o.Memory(SizeOf(g, c.ranked), c.threads); float64(got) < 0.9*float64(held) || float64(got) > 1.2*float64(held) {
			t.Errorf("%+v: %d kB are predicted, %d are held", c, got>>10, held>>10)
		}
		goruntime.KeepAlive(r)
	}
}

// heap returns the bytes that are held.
func heap() int64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
