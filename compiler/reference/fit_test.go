package reference_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// question is a random query on a random model of few entities.
type question struct {
	model    *model.Model
	shape    *lower.Shape
	plan     *ir.Plan
	bindings scq.Bindings
	degrees  model.Degrees
}

const (
	fewEntities  = 4
	fewRelations = 2
)

// knots are formulas that are rarely drawn at random: nested enumerated variables, in one disjunct and in two,
// and a variable whose largest degree scales each branch before the next is enumerated.
var knots = []string{
	"r1(s1,f)&r2(e1,f)&r3(e2,f)&r4(e3,f)&r5(e1,e2)&r6(e2,e3)&r7(e1,e3)",
	"r1(s1,e1)&r2(s2,e2)&r3(e1,e2)&!r4(e1,f)&r5(e2,f)&r6(e3,f)&r7(e3,e1)&!r8(e3,e2)",
	"r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e1,e3)&r5(e1,f)&r6(f,e4)&r7(e4,e5)&r8(e5,f)",
	"(r1(s1,e1)&r2(e1,e2)&r3(e1,f)&r4(e2,f))|(r5(s2,f)&r6(e1,f)&r7(e2,f)&r8(e2,e1)&!r9(e3,e3)&r10(e3,e1))",
}

// drawQuery draws a formula, possibly a knot or one with parameters.
func drawQuery(t *rapid.T) *lang.Query {
	if i := rapid.IntRange(0, 5*len(knots)).Draw(t, "knot"); i < len(knots) {
		q, err := lang.ParseBenchmark(knots[i])
		require.NoError(t, err)
		return q
	}
	o := plantest.Options{Entities: fewEntities, Relations: fewRelations, Atoms: 6, Disjuncts: 3, Values: true}
	if rapid.Bool().Draw(t, "template") {
		o.Name = "T"
	}
	return plantest.Formula(t, o)
}

func drawQuestion(t *rapid.T) question {
	dnf := drawQuery(t).Normal
	q := question{model: plantest.Model(t, fewEntities, fewRelations, 3).Bundle(), shape: lower.NewShape(dnf)}
	for i := range q.shape.Disjuncts {
		if len(q.shape.Disjuncts[i].Variables) > 6 {
			t.Skip("too many assignments")
		}
	}
	q.plan = lower.FIT(q.shape)
	q.bindings = plantest.Arguments{Model: q.model}.Bindings(nil, nil, q.shape.Filters)
	for range q.shape.Constants {
		q.bindings.Constants = append(q.bindings.Constants, graph.EntityID(rapid.IntRange(0, fewEntities-1).Draw(t, "constant")))
	}
	for range q.shape.Relations {
		q.bindings.Relations = append(q.bindings.Relations, graph.RelationID(rapid.IntRange(0, 2*fewRelations-1).Draw(t, "relation")))
	}
	q.degrees = model.Degrees{
		Candidates:  fewEntities,
		Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
		Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
		Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
		Mass:        rapid.Bool().Draw(t, "mass"),

		Regularities: rapid.Bool().Draw(t, "regularities"),
	}
	return q
}

// run interprets a plan with K candidates.
func (q *question) run(t *rapid.T, p *ir.Plan, k int) *reference.Result {
	t.Helper()
	s := q.model.Manifest.Settings
	s.Degrees = q.degrees
	s.Degrees.Candidates = k
	return run(t, p, q.model, s, q.bindings)
}

// disjunct returns the shape of one disjunct.
func (q *question) disjunct(i int) *lower.Shape {
	s := *q.shape
	s.Disjuncts, s.Variables = s.Disjuncts[i:i+1], s.Variables[i:i+1]
	return &s
}

// fromTail returns for each atom of a disjunct whether its plan reads it from its tail: the last row of an atom
// decides, because earlier ones propose values.
func fromTail(t *rapid.T, p *ir.Plan, g *scq.Disjunct) []bool {
	t.Helper()
	tail, read := make([]bool, len(g.Atoms)), make([]bool, len(g.Atoms))
	for _, v := range p.Values {
		if v.Op == ir.Row || v.Op == ir.Rows {
			e := g.Atoms[v.Index]
			if e.Relation != v.Rel || e.Negated != v.Negated {
				t.Fatalf("a row of atom %d is not that of %s\n%s", v.Index, g.AtomText(e), p)
			}
			tail[v.Index], read[v.Index] = v.Backward, true
		}
	}
	for i, ok := range read {
		e := g.Atoms[i]
		if e.Unequal() {
			continue
		}
		if !ok || e.Head.Constant && tail[i] || e.Tail.Constant && !e.Head.Constant && !tail[i] {
			t.Fatalf("atom %s is not read, or not from its constant\n%s", g.AtomText(e), p)
		}
	}
	return tail
}

// TestFIT compares plans with K = n with the best of all assignments.
func TestFIT(t *testing.T) {
	drawn, compared := 0, 0
	seed.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		drawn++
		naive := &naiveDegrees{model: q.model, settings: q.degrees, rows: map[graph.RelationID][][]float64{}, filters: q.shape.Filters}
		none := make([]float64, fewEntities)
		for i := range none {
			none[i] = 1
		}
		for i := range q.shape.Disjuncts {
			g := &q.shape.Disjuncts[i]
			p := lower.FIT(q.disjunct(i))
			want := naive.degrees(g, fromTail(t, p, g), q.bindings)
			if naive.nearCut {
				t.Skip("a degree is at the threshold")
			}
			nearDegrees(t, p, q.run(t, p, fewEntities).Answer, want)
			for e, d := range want {
				none[e] *= 1 - d
			}
		}
		for e := range none {
			none[e] = 1 - none[e]
		}
		nearDegrees(t, q.plan, q.run(t, q.plan, fewEntities).Answer, none)
		compared++
	})
	if compared < drawn/2 && seed.Enough() {
		t.Errorf("only %d of %d cases were far enough from the threshold to compare", compared, drawn)
	}
}

func nearDegrees(t *rapid.T, p *ir.Plan, got []float32, want []float64) {
	t.Helper()
	for e, w := range want {
		if math.Abs(float64(got[e])-w) > 1e-5 {
			t.Fatalf("entity %d has degree %v, want %v\n%s", e, got[e], w, p)
		}
	}
}

// TestFITBounded checks that fewer rows never increase an answer's degree, unless observed links replace rows
// of smaller degrees.
func TestFITBounded(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		if standsIn(q.plan) {
			t.Skip("needs a plan in which no observed link stands in for a row")
		}
		exact := q.run(t, q.plan, fewEntities).Answer
		for k := 1; k < fewEntities; k++ {
			for e, got := range q.run(t, q.plan, k).Answer {
				if got > exact[e]*(1+1e-5) {
					t.Fatalf("entity %d has degree %v with K = %d, %v exactly\n%s", e, got, k, exact[e], q.plan)
				}
			}
		}
	})
}

// standsIn reports whether a plan may use observed links in place of rows with smaller degrees.
func standsIn(p *ir.Plan) bool {
	for _, v := range p.Values {
		negated := 0
		for _, a := range v.Args {
			if a.Op == ir.Rows && a.Negated {
				negated++
			}
		}
		switch {
		case (v.Op == ir.Diagonal || v.Op == ir.Each) && negated > 0,
			(v.Op == ir.Push || v.Op == ir.Leaf) && negated > 0:
			return true
		}
	}
	return false
}

// TestMixed checks that the mixture is computed from the answers of the two semantics.
func TestMixed(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		q.degrees.Mixture = rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "mixture")
		k := rapid.IntRange(1, fewEntities).Draw(t, "candidates")
		mixed, _, err := lower.Mixed(q.shape, 0)
		require.NoError(t, err)
		messages, _, err := lower.NSMP(q.shape, 0)
		require.NoError(t, err)
		got, x, y := q.run(t, mixed, k), q.run(t, messages, k).Answer, q.run(t, q.plan, k)
		want, g := make([]float64, fewEntities), q.degrees.Mixture
		mixture := func(p, d float64) float64 { return math.Pow(p+1e-12, 1-g) * math.Pow(d+1e-6, g) }
		for e := range want {
			want[e] = (mixture(float64(x[e]), float64(y.Answer[e])) - mixture(0, 0)) / (mixture(1, 1) - mixture(0, 0))
		}
		for e, w := range want {
			if math.Abs(float64(got.Answer[e])-w) > 1e-6*w+1e-15 {
				t.Fatalf("entity %d has score %v, want %v\n%s", e, got.Answer[e], w, mixed)
			}
		}
		if len(got.Sets) != len(y.Sets) {
			t.Fatalf("%d sets, those of truth degrees are %d", len(got.Sets), len(y.Sets))
		}
		for i := range y.Sets {
			same(t, "set", got.Sets[i], y.Sets[i])
		}
	})
}
