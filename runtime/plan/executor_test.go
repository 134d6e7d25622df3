package plan

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestWorkspacesShared makes 10,000 executors, of one plan and of plans of their own, and runs each
// once. They use the same workspaces, so that the memory that they leave behind does not grow with
// their number.
func TestWorkspacesShared(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection drops workspaces
	const asked = 10_000
	for _, plans := range []int{1, asked} {
		t.Run(fmt.Sprint(plans, " plans"), func(t *testing.T) {
			m := hostOf(modeltest.Random(t, rand.New(rand.NewPCG(3, 4)), 50, 4, table.Float32))
			seen := map[*Workspace]bool{}
			run := func(w *Workspace) error {
				w.SetAnswer(w.OneHot(0, 1))
				return nil
			}
			p := &Plan{Vectors: 1, Run: run}
			for range asked {
				if plans > 1 {
					p = &Plan{Vectors: 1, Run: run}
				}
				x := NewExecutor(m, p)
				require.NoError(t, x.Run(t.Context(), scq.Bindings{}, model.DefaultSettings(), nil, 0, true, func(w *Workspace) error {
					seen[w] = true
					return nil
				}))
			}
			// The race detector has a sync.Pool lose every fourth.
			if len(seen) > asked/2 {
				t.Errorf("%d queries were answered in %d workspaces", asked, len(seen))
			}
		})
	}
}

// TestWorkspaceFits runs plans with as many vectors that differ in all else
// in the workspaces of one another: none is too small, and nothing of another is left.
func TestWorkspaceFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	m := hostOf(modeltest.Random(t, rng, 50, 4, "int8 float32"))
	for i := range 200 {
		constants, embeddings, sets := rng.IntN(4), rng.IntN(4), rng.IntN(3)
		p := &Plan{Vectors: 1, Constants: constants, Embeddings: embeddings, Sets: slices.Repeat([]PlanSet{{Variable: 1}}, sets)}
		p.Run = func(w *Workspace) error {
			for i := range embeddings {
				clear(w.Embedding(Emb(i)))
			}
			for i := range constants {
				if got, want := w.Embedding(EntityEmb(i)), m.Predictor.EntityTable.Row(w.Constant(i), nil); !slices.Equal(got, want) {
					return fmt.Errorf("constant %d has the row %v, want %v", i, got, want)
				}
			}
			w.embeddings = append(w.embeddings, make(Embedding, 8))
			s := w.Sweep()
			s.Embed(Emb(len(w.embeddings)-1), 0)
			s.Run()
			w.embeddings = w.embeddings[:len(w.embeddings)-1]
			w.SetAnswer(0)
			return nil // without any set
		}
		var b scq.Bindings
		for range constants {
			b.Constants = append(b.Constants, graph.EntityID(rng.IntN(50)))
		}
		x := NewExecutor(m, p)
		err := x.Run(t.Context(), b, model.DefaultSettings(), nil, 0, true, func(w *Workspace) error {
			got := w.Sets()
			if len(got) != sets || slices.ContainsFunc(got, func(x Vector) bool { return x != nil }) {
				return fmt.Errorf("there are sets %v, want %d that nobody wrote", got, sets)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("plan %d: %v", i, err)
		}
	}
	pools := 0
	m.workspaces.Range(func(any, any) bool { pools++; return true })
	if pools != 1 {
		t.Errorf("the workspaces of plans with one vector are kept in %d pools", pools)
	}
}
