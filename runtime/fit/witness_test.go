package fit

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime"
)

// TestWitness checks that the degrees of a witness's atoms are those of the definition
// and that their product is the degree of the answer, with all rows and with few.
func TestWitness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		d := p.settings
		d.Candidates = rapid.IntRange(1, entities).Draw(t, "candidates")
		d.Leaf = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "leaf")
		e := New(NewRows(p.model, 0), p.patterns[:1])
		for _, s := range e.plans[0].steps {
			if s.kind == leaf && d.Candidates < entities && len(s.links) > 1 {
				t.Skip("parallel links may mean a head each")
			}
		}
		degrees := p.answer(t, e, d)
		var answers []runtime.EntityID
		for i := range entities {
			answers = append(answers, runtime.EntityID(i))
		}
		witnesses, err := e.Witnesses(context.Background(), p.bindings, d, answers)
		if err != nil {
			t.Fatal(err)
		}
		ref := &reference{model: p.model, settings: p.settings, rows: map[runtime.RelationID][][]float64{}}
		for i, w := range witnesses {
			if w.Degree != degrees[i] {
				t.Fatalf("%s: entity %d has degree %v, its witness %v", p.text, i, degrees[i], w.Degree)
			}
			if w.Degree == 0 {
				continue
			}
			product := 1.0
			for j, a := range w.Atoms {
				product *= float64(a.Degree)
				atom := p.patterns[0].Atoms[j]
				r, h, tail := p.bindings.Relations[atom.Relation], a.Head.ID, a.Tail.ID
				if got := p.model.Graph.Has(h, r, tail); got != a.Observed {
					t.Fatalf("%s: atom %d is observed: %v, the witness says %v", p.text, j, got, a.Observed)
				}
				if d.Candidates < entities {
					continue
				}
				if e.plans[0].fromTail[j] {
					r, h, tail = r.Inverse(), tail, h
				}
				want := ref.matrix(r)[h][tail]
				if atom.Negated {
					want = 1 - min(1, p.settings.Negation*want)
				}
				if !ref.nearCut && math.Abs(want-float64(a.Degree)) > 1e-5 {
					t.Fatalf("%s: atom %d has degree %v, want %v", p.text, j, a.Degree, want)
				}
			}
			if math.Abs(product-float64(w.Degree)) > 1e-5*product {
				t.Fatalf("%s: entity %d has degree %v, the atoms of its witness %v; %+v; plan %v", p.text, i, w.Degree, product, w, Describe(&p.patterns[0]))
			}
		}
	})
}
