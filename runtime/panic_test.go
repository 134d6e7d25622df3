package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"

	"github.com/efoc/efoc/testdata/byslot"
)

// jointFault is work of a batch that panics, on one goroutine or on several.
type jointFault struct {
	m       *model.Model
	several bool
}

func (j *jointFault) Serve([]drive.Request) {
	if j.several {
		j.m.Pool().Each(100, func(_, i int) { panic("boom") })
	}
	panic("boom")
}

func (j *jointFault) Like(drive.Request) bool { return false }

func (j *jointFault) Kind() drive.Kind { return drive.Columns }

// faults are the ways in which a plan panics: by itself, or in work that it does together with others,
// on its own goroutine or on the model's.
var faults = map[string]func(w *plan.Workspace){
	"plan":     func(w *plan.Workspace) { panic("boom") },
	"parallel": func(w *plan.Workspace) { w.Model().Pool().Each(100, func(_, i int) { panic("boom") }) },
	"together": func(w *plan.Workspace) { w.Ask(&jointFault{w.Model(), false}) },
	"workers":  func(w *plan.Workspace) { w.Ask(&jointFault{w.Model(), true}) },
	"sweep": func(w *plan.Workspace) {
		var p sweep.Sweep
		p.Begin()
		x := w.Vector(0)
		p.Columns = append(p.Columns, rows.Column{Dst: x[: len(x)/2 : len(x)/2], Query: w.Embedding(0)}) // no room for the rest
		p.Run(rows.Float{Model: w.Model()}, w.Model().Pool())
	},
}

// faulty is a plan that answers with the scores of an entity's own row, and panics in
// one way for entity 0. It counts the workspaces that it has seen panic and that came
// again.
type faulty struct {
	mu     sync.Mutex
	broken map[*plan.Workspace]bool
	again  atomic.Int64
}

func (f *faulty) plan(fault func(w *plan.Workspace)) *plan.Plan {
	return &plan.Plan{
		ABI: plan.ABI, Shape: "r1(s1,f)", Semantics: model.NSMP, Constants: 1, Relations: 1, Vectors: 1, Embeddings: 1,
		Disjuncts: []scq.Disjunct{{Variables: []string{"f"}, Atoms: []scq.Atom{{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)}}}},
		Run: func(w *plan.Workspace) error {
			f.mu.Lock()
			if f.broken[w] {
				f.again.Add(1)
			}
			if w.Constant(0) == 0 {
				f.broken[w] = true
			}
			f.mu.Unlock()
			if w.Constant(0) == 0 {
				fault(w)
			}
			copy(w.Embedding(0), w.Embedding(plan.EntityEmb(0)))
			for range 3 {
				s := w.Sweep()
				s.Score(0, 0)
				s.Run()
			}
			w.SetAnswer(0)
			return w.Err()
		},
	}
}

// TestPlanPanic has plans panic in all the ways that there are, alone, in batches and
// while others are answered: the query fails with the panic and its stack, nobody waits
// for it, its workspace is not used again, and others are answered as without it.
func TestPlanPanic(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(4))
	m := randomModel(t, rand.New(rand.NewPCG(9, 9)), 4000, 4, table.Float32)
	bindings := argsOf
	check := func(t *testing.T, err error) {
		t.Helper()
		var fault *PanicError
		if !errors.As(err, &fault) || !bytes.Contains(fault.Stack, []byte("efoc/runtime.")) && !bytes.Contains(fault.Stack, []byte("sweep.(*")) {
			t.Errorf("error is %v, want the panic with its stack", err)
		}
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			f := &faulty{broken: map[*plan.Workspace]bool{}}
			q, err := m.Bind(byslot.Spec("q", f.plan(fault), nil))
			if err != nil {
				t.Fatal(err)
			}
			want, err := q.Ask(t.Context(), bindings(1), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for i := range 20 {
				_, err := q.Ask(t.Context(), bindings(0), Options{})
				check(t, err)
				check(t, q.Each(t.Context(), []Args{bindings(0)}, nil, func(int, *Run) error { return nil }))
				batch := slices.Repeat([]Args{bindings(1)}, 5)
				batch[i%5] = bindings(0)
				_, err = q.AskAll(t.Context(), batch, Options{})
				check(t, err)
				check(t, q.Each(t.Context(), batch, nil, func(int, *Run) error { return nil }))
				wg.Go(func() {
					got, err := q.Ask(t.Context(), bindings(1), Options{})
					if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("another query has error %v, answers\n%v, want\n%v", err, got, want)
					}
				})
			}
			wg.Wait()
			together, err := q.AskAll(t.Context(), slices.Repeat([]Args{bindings(1)}, 5), Options{})
			if err != nil || len(together) != 5 {
				t.Errorf("the batch after them has %d results, error %v", len(together), err)
			}
			if f.again.Load() > 0 || len(f.broken) < 80 {
				t.Errorf("of %d workspaces that saw a panic %d were used again", len(f.broken), f.again.Load())
			}
		})
	}
}

// TestUsePanic checks that a panic of the function that takes the scores is an error
// too: it may be called on a goroutine that is not its owner's.
func TestUsePanic(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(9, 9)), 100, 4, table.Float32)
	q, err := m.Bind(byslot.Spec("", (&faulty{broken: map[*plan.Workspace]bool{}}).plan(nil), nil))
	if err != nil {
		t.Fatal(err)
	}
	b := argsOf(1)
	var fault *PanicError
	err = q.Each(context.Background(), []Args{b, b, b}, nil, func(i int, _ *Run) error {
		if i == 1 {
			panic("boom")
		}
		return nil
	})
	if !errors.As(err, &fault) || err.Error() != "query 1 of the batch: internal error: panic: boom" {
		t.Errorf("error is %v", err)
	}
}
