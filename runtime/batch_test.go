package runtime

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"

	"github.com/efoc/efoc/testdata/byslot"
)

// withPattern completes a plan by a query graph, of whose variables there are as many as its
// atoms, and by its shape.
func withPattern(p plan.Plan, atoms ...scq.Atom) *plan.Plan {
	p.Disjuncts = []scq.Disjunct{{Variables: []string{"f", "e1"}[:len(atoms)], Atoms: atoms}}
	p.Shape, p.Constants = scq.Text(p.Disjuncts), 1
	for _, a := range atoms {
		p.Relations = max(p.Relations, a.Relation+1)
	}
	return &p
}

// planOf returns a plan that answers with the observed tails of its constant, reports
// them as the fuzzy set of an existential variable, and shows its workspace to see.
func planOf(see func(w *plan.Workspace)) *plan.Plan {
	return withPattern(plan.Plan{
		ABI: plan.ABI, Semantics: model.NSMP, Vectors: 1,
		Sets: []plan.PlanSet{{Variable: 1}},
		Run: func(w *plan.Workspace) error {
			see(w)
			w.Neighbors(0, w.Constant(0), w.Relation(0), graph.Forward)
			w.SetAnswer(0)
			w.SetFuzzySet(0, 0)
			return nil
		},
	}, scq.Atom{Head: scq.Const(0), Tail: scq.Var(1)}, scq.Atom{Head: scq.Var(1), Tail: scq.Var(0)})
}

// TestBatchApart checks that questions of batches and groups run one by one on a small table, and together on others.
func TestBatchApart(t *testing.T) {
	m := smallModel(t)
	var apart, together atomic.Int32
	p := planOf(func(w *plan.Workspace) {
		if w.Batched() {
			together.Add(1)
		} else {
			apart.Add(1)
		}
	})
	p.Small = p.Run
	q := newQuestion(t, m, p, "q")
	for access, want := range map[plan.Access]int32{plan.Exact: 4, {Floats: true, Estimates: true}: 0} {
		m.Use(access)
		apart.Store(0)
		together.Store(0)
		_, err := q.AskAll(t.Context(), []Args{argsOf(0), argsOf(1), argsOf(2)}, Options{})
		require.NoError(t, err)
		g := m.NewGroup()
		g.Enter(1)
		_, err = q.answerIn(t.Context(), g, argsOf(0), Options{})
		require.NoError(t, err)
		if apart.Load() != want || together.Load() != 4-want {
			t.Errorf("with %v, %d questions ran one by one and %d together", access, apart.Load(), together.Load())
		}
	}
}

// TestBatch answers a batch: each result is the one of its question alone, and an error names its question.
func TestBatch(t *testing.T) {
	m := smallModel(t)
	fault := false
	p := planOf(func(w *plan.Workspace) {
		if fault && w.Constant(0) == 2 {
			panic("boom")
		}
	})
	spec := byslot.Spec("q", p, nil)
	spec.Parts[0].Variables = [][]string{{"country", "city"}}
	q, err := m.Bind(spec)
	require.NoError(t, err)
	var batch []Args
	for i := range 3 {
		batch = append(batch, argsOf(graph.EntityID(i)))
	}
	o := Options{K: 3, SetSize: 2}
	results, err := q.AskAll(t.Context(), batch, o)
	if err != nil || len(results) != 3 {
		t.Fatalf("there are %d results, error %v", len(results), err)
	}
	for i, r := range results {
		if r.Variables[0] != "country" || len(r.Sets) != 1 || r.Sets[0].Variable != "city" {
			t.Errorf("question %d is reported as %+v", i, r)
		}
		alone, err := q.Ask(t.Context(), batch[i], o)
		if err != nil || fmt.Sprint(alone) != fmt.Sprint(r) {
			t.Errorf("question %d is answered\n%v, alone, error %v\n%v", i, r, err, alone)
		}
	}
	fault = true
	_, err = q.AskAll(t.Context(), batch, o)
	if fault := (*PanicError)(nil); !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "query 2 of the batch: query q: ") {
		t.Errorf("error is %v", err)
	}
	fault = false
	batch[1] = argsOf(-1)
	if _, err := q.AskAll(t.Context(), batch, o); err == nil || !strings.HasPrefix(err.Error(), "query 1 of the batch: query q: parameter s1: it is not set") {
		t.Errorf("error is %v", err)
	}
}
