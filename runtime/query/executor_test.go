package query

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// withPatterns completes a plan by the query graphs of its shape.
func withPatterns(p Plan) *Plan {
	var err error
	if p.Patterns, err = scq.Parse(p.Shape); err != nil {
		panic(err)
	}
	for _, g := range p.Patterns {
		for _, a := range g.Atoms {
			p.Relations = max(p.Relations, a.Relation+1)
		}
		for _, t := range g.Terms() {
			if t.Constant {
				p.Constants = max(p.Constants, t.Index+1)
			}
		}
	}
	return &p
}

// planOf returns a plan that answers with the observed tails of its constant, reports
// them as the fuzzy set of an existential variable, and shows its workspace to see.
func planOf(see func(w *Workspace)) *Plan {
	return withPatterns(Plan{
		ABI: ABI, Shape: "r1(s1,e1) & r1(e1,f)", Semantics: model.NSMP, Vectors: 1,
		Sets: []PlanSet{{Variable: 1}},
		Run: func(w *Workspace) error {
			see(w)
			w.Neighbors(0, w.Constant(0), w.Relation(0), model.Forward)
			w.SetAnswer(0)
			w.SetFuzzySet(0, 0)
			return nil
		},
	})
}

// TestWorkspacesShared makes 10,000 queries, each of which is asked once, of one plan and
// of plans of their own. They use the same workspaces, so that the memory that queries
// leave behind does not grow with their number.
func TestWorkspacesShared(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection drops workspaces
	const asked = 10_000
	for _, plans := range []int{1, asked} {
		t.Run(fmt.Sprint(plans, " plans"), func(t *testing.T) {
			m := randomModel(t, rand.New(rand.NewPCG(3, 4)), 50, 4, model.Float32)
			seen := map[*Workspace]bool{}
			see := func(w *Workspace) { seen[w] = true }
			plan := planOf(see)
			b := scq.Bindings{Constants: []model.EntityID{1}, Relations: []model.RelationID{0}}
			for range asked {
				if plans > 1 {
					plan = planOf(see)
				}
				q, err := New(m, plan, Names{})
				require.NoError(t, err)
				if _, err := q.Answer(t.Context(), b, Options{NoStatus: true}); err != nil {
					t.Fatal(err)
				}
			}
			// The race detector has a sync.Pool lose every fourth.
			if len(seen) > asked/2 {
				t.Errorf("%d queries were answered in %d workspaces", asked, len(seen))
			}
		})
	}
}

// TestWorkspaceFits answers queries of plans with as many vectors that differ in all else
// in the workspaces of one another: none is too small, and nothing of another is left.
func TestWorkspaceFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	m := randomModel(t, rng, 50, 4, "int8 float16")
	for i := range 200 {
		constants, embeddings, sets := rng.IntN(4), rng.IntN(4), rng.IntN(3)
		p := planOf(nil)
		p.Constants, p.Embeddings, p.Sets = constants, embeddings, slices.Repeat([]PlanSet{{Variable: 1}}, sets)
		p.Run = func(w *Workspace) error {
			for i := range embeddings {
				clear(w.Embedding(Emb(i)))
			}
			for i := range constants {
				if got, want := w.Embedding(w.Entity(i)), m.Predictor.EntityTable.Row(w.Constant(i), nil); !slices.Equal(got, want) {
					return fmt.Errorf("constant %d has the row %v, want %v", i, got, want)
				}
			}
			w.embeddings = append(w.embeddings, make(Embedding, 8))
			w.Embed(Emb(len(w.embeddings)-1), 0)
			w.embeddings = w.embeddings[:len(w.embeddings)-1]
			w.SetAnswer(0)
			return nil // without any set
		}
		q, err := New(m, p, Names{})
		require.NoError(t, err)
		b := scq.Bindings{Relations: []model.RelationID{0}}
		for range constants {
			b.Constants = append(b.Constants, model.EntityID(rng.IntN(50)))
		}
		err = q.Scores(t.Context(), b, nil, func(_ Vector, got []Vector) error {
			if len(got) != sets || slices.ContainsFunc(got, func(x Vector) bool { return x != nil }) {
				return fmt.Errorf("there are sets %v, want %d that nobody wrote", got, sets)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
	}
	pools := 0
	m.workspaces.byVectors.Range(func(any, any) bool { pools++; return true })
	if pools != 1 {
		t.Errorf("the workspaces of plans with one vector are kept in %d pools", pools)
	}
}

// TestBatchNames answers queries of one plan that differ in their names in one batch:
// each result has the names of its own query, and so has each error.
func TestBatchNames(t *testing.T) {
	m := smallModel(t)
	fault := false
	plan := planOf(func(w *Workspace) {
		if fault && w.Constant(0) == 2 {
			panic("boom")
		}
	})
	var batch []Question
	for i, names := range [][]string{{"y", "x"}, {"country", "city"}, {"f", "e"}} {
		q, err := New(m, plan, Names{Query: fmt.Sprint("q", i), Variables: [][]string{names}})
		require.NoError(t, err)
		batch = append(batch, Question{q, scq.Bindings{Constants: []model.EntityID{model.EntityID(i)}, Relations: []model.RelationID{0}}})
	}
	o := Options{K: 3, SetSize: 2}
	results, err := AnswerBatch(t.Context(), batch, o)
	if err != nil || len(results) != 3 {
		t.Fatalf("there are %d results, error %v", len(results), err)
	}
	for i, r := range results {
		x := batch[i]
		if names := x.Query.VariableNames(0); r.Variable != names[0] || len(r.Sets) != 1 || r.Sets[0].Variable != names[1] {
			t.Errorf("query %d is reported as %+v, want the names %v", i, r, names)
		}
		alone, err := x.Query.Answer(t.Context(), x.Bindings, o)
		if err != nil || fmt.Sprint(alone) != fmt.Sprint(r) {
			t.Errorf("query %d is answered\n%v, alone, error %v\n%v", i, r, err, alone)
		}
	}
	fault = true
	_, err = AnswerBatch(t.Context(), batch, o)
	if fault := (*PanicError)(nil); !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "query 2 of the batch: query q2: ") {
		t.Errorf("error is %v", err)
	}
	fault = false
	batch[1].Bindings.Constants = []model.EntityID{-1}
	if _, err := AnswerBatch(t.Context(), batch, o); err == nil || !strings.HasPrefix(err.Error(), "query 1 of the batch: query q1: entity -1") {
		t.Errorf("error is %v", err)
	}
	other, err := New(m, planOf(nil), Names{Query: "other"})
	require.NoError(t, err)
	batch[1].Query = other
	if _, err := AnswerBatch(t.Context(), batch, o); err == nil || !strings.HasPrefix(err.Error(), "query 1 of the batch: query other: it has another plan") {
		t.Errorf("error is %v", err)
	}
}
