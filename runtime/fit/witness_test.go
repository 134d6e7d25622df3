package fit_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestWitness checks that the atoms of a witness multiply to the degree of the answer,
// with all rows and with few, and that with all of them each atom has the degree that
// its row gives it.
func TestWitness(t *testing.T) {
	const entities, relations = 6, 2
	seed.Check(t, func(t *rapid.T) {
		m := plantest.Model(t, entities, relations, 3)
		o := plantest.Options{Entities: entities, Relations: relations, Atoms: 6, Disjuncts: 2}
		q := rapid.Custom(func(t *rapid.T) *lang.Query { return plantest.Formula(t, o) }).Draw(t, "query")
		s := m.Settings()
		s.Degrees = drawDegrees(t, entities)
		semantics := rapid.SampledFrom(model.AllSemantics[1:]).Draw(t, "semantics")
		p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(semantics), Settings: &s})
		require.NoError(t, err)
		b, err := p.Args(nil)
		require.NoError(t, err)
		var answers []graph.EntityID
		for i := range entities {
			answers = append(answers, graph.EntityID(i))
		}
		witnesses, err := p.Why(context.Background(), b, runtime.Options{Settings: &s}, answers...)
		require.NoError(t, err)
		degrees, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.FIT)})
		require.NoError(t, err)
		best := scores(t, degrees, b, s.Degrees)
		for i, w := range witnesses {
			united := len(p.Shape().Disjuncts) > 1
			if d := float64(best[i]); united && float64(w.Degree) > d*(1+1e-6) || !united && float64(w.Degree) != d {
				t.Fatalf("%s: entity %d has degree %v, its witness %v", p.Shape().Key, i, d, w.Degree)
			}
			if w.Degree > 0 {
				checkWitness(t, m, p, p.PartBindings(0, b), s.Degrees, w)
			}
		}
	})
}

// drawDegrees draws settings, also for the exact method.
func drawDegrees(t *rapid.T, entities int) model.Degrees {
	return model.Degrees{
		Candidates:  rapid.IntRange(1, entities).Draw(t, "candidates"),
		Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
		Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
		Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
		Leaf:        rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "leaf"),
		Mass:        rapid.Bool().Draw(t, "mass"),
		Mixture:     rapid.SampledFrom([]float64{0.25, 0.5}).Draw(t, "mixture"),
	}
}

func checkWitness(t *rapid.T, m *runtime.Model, p *compiler.Prepared, b scq.Bindings, d model.Degrees, w runtime.Witness) {
	product := 1.0
	for j, a := range w.Atoms {
		product *= float64(a.Degree)
		r := b.Relations[p.Shape().Disjuncts[w.Disjunct].Atoms[j].Relation]
		if reversed := p.Shape().Reversed[w.Disjunct]; reversed != nil && reversed[j] {
			r = r.Inverse() // as the query has it
		}
		if got := m.Bundle().Graph.Has(a.Head.ID, r, a.Tail.ID); got != a.Observed {
			t.Fatalf("%s: atom %d is observed: %v, the witness says %v", p.Shape().Key, j, got, a.Observed)
		}
		if d.Candidates < m.NumEntities() {
			continue
		}
		head, tail := rowDegree(t, m, d, a.Head.ID, r, a.Tail.ID), rowDegree(t, m, d, a.Tail.ID, r.Inverse(), a.Head.ID)
		if a.Negated {
			head, tail = 1-min(1, d.Negation*head), 1-min(1, d.Negation*tail)
		}
		if near := func(x float64) bool { return math.Abs(x-float64(a.Degree)) < 1e-5 }; !near(head) && !near(tail) {
			t.Fatalf("%s: atom %d has degree %v, by its head's row %v, by its tail's %v", p.Shape().Key, j, a.Degree, head, tail)
		}
	}
	value := func(x scq.Term) graph.EntityID {
		switch {
		case x.Constant:
			return b.Constants[x.Index]
		case x.Index == 0:
			return w.Answer.ID
		}
		return w.Values[x.Index-1].ID
	}
	for _, a := range p.Shape().Disjuncts[w.Disjunct].Atoms {
		if a.Unequal() && value(a.Head) == value(a.Tail) {
			t.Fatalf("%s: the witness has both terms of an inequality at entity %d: %+v; plan\n%s", p.Shape().Key, value(a.Head), w, p.Compiled().Optimized)
		}
	}
	if math.Abs(product-float64(w.Degree)) > 1e-5*product {
		t.Fatalf("%s: entity %d has degree %v, the atoms of its witness %v: %+v; plan\n%s", p.Shape().Key, w.Answer.ID, w.Degree, product, w, p.Compiled().Optimized)
	}
}

// rowDegree is P_r(h)[t] as the query r(h,y) has it.
func rowDegree(t *rapid.T, m *runtime.Model, d model.Degrees, h graph.EntityID, r graph.RelationID, tail graph.EntityID) float64 {
	q, err := benchmark.Query("1p")
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	b := p.Spec().Args(int32(h), int32(r))
	return float64(scores(t, p, b, d)[tail])
}

// TestWitnessesRefuses checks what there is no witness for.
func TestWitnessesRefuses(t *testing.T) {
	m := smallModel(t, 1)
	q, err := benchmark.Query("1p")
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.NSMP)})
	require.NoError(t, err)
	b := p.Spec().Args(0, 0)
	bare, err := m.Bind(byslot.Spec("", p.Spec().Parts[0].Plan, nil))
	require.NoError(t, err)
	if _, err := bare.Why(context.Background(), b, runtime.Options{}, 1); err == nil || !strings.Contains(err.Error(), "no truth degrees") {
		t.Errorf("of message passing: error %v", err)
	}
	p = prepare(t, m, q, compiler.Options{})
	if _, err := p.Why(context.Background(), b, runtime.Options{}, 50); err == nil || !strings.Contains(err.Error(), "has 50 entities") {
		t.Errorf("of no entity: error %v", err)
	}
}
