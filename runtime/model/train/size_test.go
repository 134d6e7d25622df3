package train

import (
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestMemory compares the memory that is predicted with what a training holds once it
// has validated, when it holds most.
func TestMemory(t *testing.T) {
	const n, relations, facts = 60_000, 4, 40_000
	rng := rand.New(rand.NewPCG(1, 2))
	var list []model.Triple
	for range facts {
		list = append(list, model.Triple{Head: model.EntityID(rng.IntN(n)), Relation: rng.Int32N(relations), Tail: model.EntityID(rng.IntN(n))})
	}
	g, err := model.NewGraph(n, relations, list)
	require.NoError(t, err)
	for _, c := range []struct {
		negatives, threads int
		ranked             bool
	}{{500, 1, true}, {500, 2, true}, {500, 1, false}, {0, 2, true}} {
		o := DefaultOptions()
		o.Rank, o.Batch, o.Negatives = 16, 256, c.negatives
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
			if _, err := r.Trainer.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if valid != nil {
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

// TestWork compares the predicted operations of a step with those of its products.
func TestWork(t *testing.T) {
	g, err := model.NewGraph(5000, 3, []model.Triple{{Head: 1, Relation: 1, Tail: 2}, {Head: 3, Relation: 2, Tail: 4}, {Head: 1, Relation: 0, Tail: 9}})
	require.NoError(t, err)
	for _, relations := range []float64{0, 0.5} {
		o := DefaultOptions()
		o.Rank, o.Batch, o.Relations = 32, 6, relations
		r, err := New(g, o, 1)
		require.NoError(t, err)
		if _, err := r.Step(); err != nil {
			t.Fatal(err)
		}
		s := Size{Entities: 5000, Relations: 6, Facts: 3}
		if o.Steps(s) != 1 || o.Candidates(5000) != 5000 {
			t.Errorf("%d steps, %d candidates", o.Steps(s), o.Candidates(5000))
		}
		// What is not a product is an update of each number of a candidate.
		products, work := r.FLOPs(), o.Work(s)
		if updates := work - products; updates < 60*64*5000 || updates > 60*64*5000*1.1 {
			t.Errorf("relations %v: work is %v, products are %v", relations, work, products)
		}
	}
}
