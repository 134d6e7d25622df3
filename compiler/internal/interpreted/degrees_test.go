package interpreted_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// knots are formulas with cycles one in the other, which random ones hardly ever have.
var knots = []string{
	"r1(s1,f)&r2(e1,f)&r3(e2,f)&r4(e3,f)&r5(e1,e2)&r6(e2,e3)&r7(e1,e3)",
	"r1(s1,e1)&r2(s2,e2)&r3(e1,e2)&!r4(e1,f)&r5(e2,f)&r6(e3,f)&r7(e3,e1)&!r8(e3,e2)",
	"r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e1,e3)&r5(e1,f)&r6(f,e4)&r7(e4,e5)&r8(e5,f)",
}

// TestRunDegrees compares the ops of truth degrees with the interpreter on random plans
// of both semantics, with all candidates and with few.
func TestRunDegrees(t *testing.T) {
	drawn, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		const relations = 3
		n := rapid.IntRange(1, 12).Draw(t, "entities")
		q := plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Name: "T", Atoms: 7})
		if i := rapid.IntRange(0, 6*len(knots)).Draw(t, "knot"); i < len(knots) {
			var err error
			if q, err = lang.ParseBenchmark(knots[i]); err != nil {
				t.Fatal(err)
			}
		}
		d, _, err := lang.Normalize(q)
		if err != nil {
			t.Fatal(err)
		}
		m := plantest.Model(t, n, relations, rapid.IntRange(1, 4).Draw(t, "rank"))
		shape := lower.NewShape(d)
		var b scq.Bindings
		for range shape.Constants {
			b.Constants = append(b.Constants, model.EntityID(rapid.IntRange(0, n-1).Draw(t, "constant")))
		}
		for range shape.Relations {
			b.Relations = append(b.Relations, model.RelationID(rapid.IntRange(0, 2*relations-1).Draw(t, "relation")))
		}
		m.Manifest.Settings.Degrees = drawDegrees(t, n)
		if rapid.Bool().Draw(t, "temperatures") {
			for r := range 2 * relations {
				m.Manifest.Temperatures = append(m.Manifest.Temperatures, 0.8+float64(r)/10)
			}
		}
		c, err := compiler.Compile(shape, compiler.CompileOptions{Semantics: rapid.SampledFrom(model.AllSemantics[1:]).Draw(t, "semantics")})
		if err != nil {
			t.Fatal(err)
		}
		want := interpret(t, c.Naive, m, m.Manifest.Settings, b)
		drawn++
		if !steady(t, c.Naive, m, b, want) {
			return
		}
		compared++
		for _, p := range []*ir.Plan{c.Naive, c.Plan} {
			answer, sets := execute(t, c, p, m, b)
			close(t, "answer", answer, want.Answer)
			for i, s := range sets {
				close(t, "set of "+p.Sets[i].Variable, s, want.Sets[i])
			}
		}
	})
	if compared < drawn/2 {
		t.Errorf("only %d of %d cases were steady enough to compare", compared, drawn)
	}
}

// close compares degrees: of what is negated little may be left, with the rounding of
// numbers near 1. A case that is robust and steady may still enlarge rounding errors a
// thousand times.
func close(t *rapid.T, what string, got, want []float32) {
	t.Helper()
	for e, w := range want {
		if math.Abs(float64(got[e]-w)) > 1e-3*float64(w)+3e-7 {
			t.Fatalf("%s is %v, want %v", what, got, want)
		}
	}
}

func drawDegrees(t *rapid.T, entities int) model.Degrees {
	return model.Degrees{
		Candidates:  rapid.IntRange(1, entities).Draw(t, "candidates"),
		Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
		Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
		Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
		Leaf:        rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "leaf"),
		Mass:        rapid.Bool().Draw(t, "mass"),
		Mixture:     rapid.SampledFrom([]float64{0, 0.25, 0.5}).Draw(t, "mixture"),
	}
}

// steady reports whether slightly other settings would give about the same result:
// otherwise rounding decides which entities are the best, or what is cut.
func steady(t *rapid.T, p *ir.Plan, m *query.Model, b scq.Bindings, want *reference.Result) bool {
	t.Helper()
	if !robust(t, p, m, b, want) {
		return false
	}
	for _, by := range []float64{1 - 1e-4, 1 + 1e-4} {
		for _, cut := range []float64{1 - 1e-3, 1 + 1e-3} {
			s := m.Manifest.Settings
			s.Degrees.Temperature *= by
			s.Degrees.Threshold *= cut
			r := interpret(t, p, m, s, b)
			for i, x := range append([][]float32{r.Answer}, r.Sets...) {
				if !agree(x, append([][]float32{want.Answer}, want.Sets...)[i], 1e-2) {
					return false
				}
			}
		}
	}
	return true
}
