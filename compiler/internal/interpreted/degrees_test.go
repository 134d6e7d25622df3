package interpreted_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
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
	drawn, sharp := 0, 0
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
		drawn++
		if compare(t, c, m, b) {
			sharp++
		}
	})
	if sharp < drawn/2 {
		t.Errorf("only %d of %d answers were known to a part in a hundred", sharp, drawn)
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
