package train

import (
	"context"
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestMemory compares the memory that is predicted with what a training holds once it
// has validated: as much, and not a multiple.
func TestMemory(t *testing.T) {
	const n, relations, facts = 60_000, 4, 8_000
	rng := rand.New(rand.NewPCG(1, 2))
	var list []model.Triple
	for range facts {
		list = append(list, model.Triple{Head: model.EntityID(rng.IntN(n)), Relation: rng.Int32N(relations), Tail: model.EntityID(rng.IntN(n))})
	}
	g, err := model.NewGraph(n, relations, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, negatives := range []int{500, 0} {
		o := DefaultOptions()
		o.Rank, o.Batch, o.Negatives = 16, 256, negatives
		if negatives == 0 {
			o.Batch = 64 // all entities are many candidates
		}
		valid := NewTest(list[:20], g)
		before := heap()
		r, err := NewRun(g, o, Schedule{Epochs: 1, Every: 1}, valid, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := r.Trainer.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Trainer.Evaluate(context.Background(), valid, nil); err != nil {
			t.Fatal(err)
		}
		held := heap() - before
		// The best model so far, the scores of a ranking and the model to write are not
		// held now: of the tables these are less than twice as much again.
		s := Size{Entities: n, Relations: 2 * relations, Facts: g.NumTriples()}
		if got := o.Memory(s); got < held || got > 2*held {
			t.Errorf("%d negatives: %d MB are predicted, %d are held", negatives, got>>20, held>>20)
		}
		ranked := s
		ranked.Ranked = true
		tables := int64(n * newMatrix(0, o.width()).stride * 4)
		if more := o.Memory(ranked) - o.Memory(s); more < tables {
			t.Errorf("%d negatives: ranking takes %d MB more, want the %d of the best model at least", negatives, more>>20, tables>>20)
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
	if err != nil {
		t.Fatal(err)
	}
	for _, relations := range []float64{0, 0.5} {
		o := DefaultOptions()
		o.Rank, o.Batch, o.Relations = 32, 6, relations
		r, err := New(g, o, 1)
		if err != nil {
			t.Fatal(err)
		}
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
