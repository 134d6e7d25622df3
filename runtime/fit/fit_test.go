package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// problem is a random question on a random model.
type problem struct {
	model    *runtime.Model
	text     string
	patterns []runtime.Pattern
	bindings runtime.Bindings
	settings runtime.Degrees
}

const entities, relations = 4, 2

func drawProblem(t *rapid.T) problem {
	p := problem{model: plantest.Model(t, entities, relations, 3)}
	o := plantest.Options{Entities: entities, Relations: relations, Atoms: 6, Disjuncts: 3}
	q := rapid.Custom(func(t *rapid.T) *lang.Query { return plantest.Formula(t, o) }).Draw(t, "query")
	if err := lang.Resolve(q, p.model); err != nil {
		t.Fatal(err)
	}
	dnf, _, err := lang.Normalize(q)
	if err != nil {
		t.Fatal(err)
	}
	shape := lower.NewShape(dnf)
	p.text = shape.Key
	p.bindings = plantest.Arguments{}.Bindings(shape.Constants, shape.Relations)
	for i := range shape.SCQs {
		p.patterns = append(p.patterns, shape.SCQs[i].Pattern())
		if len(shape.SCQs[i].Variables) > 6 {
			t.Skip("too many assignments")
		}
	}
	p.settings = runtime.Degrees{
		Candidates:  entities,
		Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
		Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
		Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
		Mass:        rapid.Bool().Draw(t, "mass"),
	}
	return p
}

// answer returns the engine's degrees.
func (p *problem) answer(t *rapid.T, e *Engine, d runtime.Degrees) []float32 {
	var degrees []float32
	err := e.Scores(context.Background(), []runtime.Bindings{p.bindings}, d, func(_ int, answer runtime.Vector, _ []runtime.Vector) error {
		degrees = append(degrees, answer...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return degrees
}

// exact returns the degrees by the definition.
func (p *problem) exact(t *rapid.T, e *Engine) []float64 {
	r := &reference{model: p.model, settings: p.settings, rows: map[runtime.RelationID][][]float64{}}
	none := make([]float64, entities)
	for i := range none {
		none[i] = 1
	}
	for i := range p.patterns {
		for j, d := range r.degrees(&p.patterns[i], e.plans[i].fromTail, p.bindings) {
			none[j] *= 1 - d
		}
	}
	if r.nearCut {
		t.Skip("a degree is at the threshold")
	}
	for i := range none {
		none[i] = 1 - none[i]
	}
	return none
}

// TestExact compares the engine with K = n with the best of all assignments.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		e := New(NewRows(p.model, 0), p.patterns)
		got, want := p.answer(t, e, p.settings), p.exact(t, e)
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 1e-5 {
				t.Fatalf("%s: entity %d has degree %v, want %v; plan %v", p.text, i, got[i], want[i], Describe(&p.patterns[0]))
			}
		}
	})
}

// TestReadFromConstants checks that atoms are read from their constants.
func TestReadFromConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		e := New(NewRows(p.model, 0), p.patterns)
		for i := range p.patterns {
			for j, a := range p.patterns[i].Atoms {
				if got := e.plans[i].fromTail[j]; a.Head.Constant && got || a.Tail.Constant && !a.Head.Constant && !got {
					t.Fatalf("%s: atom %d: read from its tail: %v", p.text, j, got)
				}
			}
		}
	})
}

// TestBounded checks that fewer rows never give an answer more, where nothing stands
// in for rows that would say less.
func TestBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		e := New(NewRows(p.model, 0), p.patterns)
		for _, plan := range e.plans {
			for _, s := range plan.steps {
				negated := slices.ContainsFunc(s.links, func(l link) bool { return l.negated })
				switch {
				case (s.kind == loop || s.kind == enumerate) && negated, s.kind == push && negated && positive(s.links), s.kind == leaf && (negated || len(s.links) > 1):
					t.Skip("a negated link may count as absent, and parallel links of a leaf one by one")
				}
			}
		}
		exact := p.answer(t, e, p.settings)
		for k := 1; k < entities; k++ {
			d := p.settings
			d.Candidates = k
			for i, got := range p.answer(t, e, d) {
				if got > exact[i]*(1+1e-5) {
					t.Fatalf("%s: entity %d has degree %v with K = %d, %v exactly; plan %v", p.text, i, got, k, exact[i], Describe(&p.patterns[0]))
				}
			}
		}
	})
}

// TestBatch checks that queries get the same degrees together as alone.
func TestBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.settings.Candidates = rapid.IntRange(1, entities).Draw(t, "candidates")
		batch := []runtime.Bindings{p.bindings}
		for range maxTogether + 2 {
			var b runtime.Bindings
			for range p.bindings.Constants {
				b.Constants = append(b.Constants, runtime.EntityID(rapid.IntRange(0, entities-1).Draw(t, "constant")))
			}
			for range p.bindings.Relations {
				b.Relations = append(b.Relations, runtime.RelationID(rapid.IntRange(0, 2*relations-1).Draw(t, "relation")))
			}
			batch = append(batch, b)
		}
		e := New(NewRows(p.model, 2000), p.patterns)
		together := map[int][]float32{}
		err := e.Scores(context.Background(), batch, p.settings, func(i int, answer runtime.Vector, _ []runtime.Vector) error {
			together[i] = slices.Clone(answer)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range batch {
			p.bindings = b
			for j, alone := range p.answer(t, e, p.settings) {
				if got := together[i][j]; math.Abs(float64(got-alone)) > 1e-5 {
					t.Fatalf("%s: query %d: entity %d has degree %v in the batch, %v alone", p.text, i, j, got, alone)
				}
			}
		}
	})
}
