package lower_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// benchmarkShape returns the shape of a formula in the notation of the benchmarks.
func benchmarkShape(t *testing.T, formula string) *lower.Shape {
	t.Helper()
	q, err := lang.ParseBenchmark(formula)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := lang.Normalize(q)
	if err != nil {
		t.Fatal(err)
	}
	return lower.NewShape(d)
}

// TestFITPlans compares plans with ones written by hand from the statement of the
// semantics.
func TestFITPlans(t *testing.T) {
	for _, c := range []struct{ name, formula, want string }{
		{"2p: e1 is pushed into f", "r1(s1,e1)&r2(e1,f)", `plan "r1(s1,e1) & r2(e1,f)"
constants 1
relations 2
layers 0
v0:deg = row s1 r1 #0 ; r1(s1,e1)
v1:vec = dense v0 ; degrees of e1
v2:cand = best v0 ; candidates of e1
v3:rows = rows v2 r2 #1 ; r2(e1,f)
v4:deg = push v0 v3 #1 ; e1 -> f by r2(e1,f)
v5:vec = dense v4 ; degrees of f
answer v5
set 0 e1 v1
`},
		{"2u: a union", "r1(s1,f)|r2(s2,f)", `plan "r1(s1,f) | r2(s2,f)"
constants 2
relations 2
layers 0 0
v0:deg = row s1 r1 #0 ; r1(s1,f)
v1:deg = row s2 r2 #0 ; r2(s2,f)
v2:deg = either v0 v1 ; union
v3:vec = dense v2 ; degrees of f
answer v3
`},
		{"2il: no constant tells anything of e1", "r1(s1,f)&r2(e1,f)", `plan "r1(s1,f) & r2(e1,f)"
constants 1
relations 2
layers 0
v0:deg = row s1 r1 #0 ; r1(s1,f)
v1:deg = any
v2:cand = every v1 ; candidates of e1
v3:rows = rows v2 r2 #1 ; r2(e1,f)
v4:deg = leaf v1 v3 #1 ; e1 -> f by r2(e1,f)
v5:deg = times v0 v4 ; degrees of f
v6:vec = dense v5 ; degrees of f
answer v6
`},
		{"3c: e1 is enumerated, for it is the head of two atoms", "r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)",
			`plan "r1(s1,e1) & r2(s2,e2) & r3(e1,e2) & r4(e1,f) & r5(e2,f)"
constants 2
relations 5
layers 0
v0:deg = row s1 r1 #0 ; r1(s1,e1)
v1:deg = row s2 r2 #1 ; r2(s2,e2)
v2:vec = dense v0 ; degrees of e1
v3:cand = values v0 #512 ; values of e1
v4:rows = rows v3 r4 #3 ; r4(e1,f)
v5:rows = rows v3 r3 #2 ; r3(e1,e2)
v6:branch = root ; one branch
v7:branch = branch v0 v3 v6 #1 ; a branch for each e1
v8:deg = each v7 v4 ; each e1 -> f by r4(e1,f)
v9:deg = each v7 v5 ; each e1 -> e2 by r3(e1,e2)
v10:deg = times v1 v9 ; degrees of e2
v11:deg = join v10 v7
v12:vec = dense v11 ; degrees of e2
v13:deg = join v10 v7
v14:cand = best v13 ; candidates of e2
v15:rows = rows v14 r5 #4 ; r5(e2,f)
v16:deg = push v10 v15 #2 ; e2 -> f by r5(e2,f)
v17:deg = times v8 v16 ; degrees of f
v18:deg = join v17 v7 ; the best branch
v19:vec = dense v18 ; degrees of f
answer v19
set 0 e1 v2
set 0 e2 v12
`},
		{"a loop is read from rows, an atom from its constant", "!r1(f,s1)&r2(s2,f)&r3(f,f)", `plan "r1(s1,f) & !r2(s2,f) & r3(f,f)"
constants 2
relations 3
layers 0
v0:deg = row s1 r1 #0 ; r1(s1,f)
v1:deg = row s2 r2 #1 negated ; !r2(s2,f)
v2:deg = times v0 v1 ; degrees of f
v3:cand = best v2
v4:rows = rows v3 r3 #2 ; r3(f,f)
v5:deg = diagonal v4
v6:deg = times v2 v5 ; degrees of f
v7:vec = dense v6 ; degrees of f
answer v7
`},
		{"f proposes values of e1", "r1(s1,f)&r2(e1,f)&r3(e2,f)&r4(e1,e2)", `plan "r1(s1,f) & r2(e1,f) & r3(e2,f) & r4(e1,e2)"
constants 1
relations 4
layers 0
v0:deg = row s1 r1 #0 ; r1(s1,f)
v1:deg = any
v2:cand = best v0 ; candidates of f
v3:rows = rows v2 r2 #1 backward ; r2^-1(f,e1)
v4:deg = push v0 v3 #0 ; f proposes values of e1
v5:cand = values v1 v4 #512 ; values of e1
v6:rows = rows v5 r2 #1 ; r2(e1,f)
v7:rows = rows v5 r4 #3 ; r4(e1,e2)
v8:branch = root ; one branch
v9:branch = branch v1 v5 v8 #1 ; a branch for each e1
v10:deg = each v9 v6 ; each e1 -> f by r2(e1,f)
v11:deg = times v0 v10 ; degrees of f
v12:deg = each v9 v7 ; each e1 -> e2 by r4(e1,e2)
v13:deg = join v12 v9
v14:vec = dense v13 ; degrees of e2
v15:deg = join v12 v9
v16:cand = best v15 ; candidates of e2
v17:rows = rows v16 r3 #2 ; r3(e2,f)
v18:deg = push v12 v17 #2 ; e2 -> f by r3(e2,f)
v19:deg = times v11 v18 ; degrees of f
v20:deg = join v19 v9 ; the best branch
v21:vec = dense v20 ; degrees of f
answer v21
set 0 e2 v14
`},
	} {
		p := lower.FIT(benchmarkShape(t, c.formula))
		if got := squeeze(p.String()); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// squeeze joins the blanks before notes.
func squeeze(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}

// TestFITShapes checks the plans of the benchmarks' shapes, and of random queries,
// under both semantics that have truth degrees: they verify, read back from their
// text, and no pass changes a bit of what they compute.
func TestFITShapes(t *testing.T) {
	var shapes []*lower.Shape
	for _, s := range lang.Shapes {
		shape := benchmarkShape(t, s.Formula)
		shapes = append(shapes, shape)
		mixed, _, err := lower.Mixed(shape, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*ir.Plan{lower.FIT(shape), mixed} {
			if err := p.Verify(); err != nil {
				t.Errorf("%s: %v\n%s", s.Name, err, p)
			}
			if err := pass.Run(p, pass.Default(), nil); err != nil {
				t.Errorf("%s: %v\n%s", s.Name, err, p)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		const relations = 3
		n := rapid.IntRange(1, 8).Draw(t, "entities")
		shape := lower.NewShape(drawDNF(t, n))
		if i := rapid.IntRange(0, 2*len(lang.Shapes)).Draw(t, "shape"); i < len(lang.Shapes) {
			shape = shapes[i]
		}
		m := plantest.Model(t, n, relations, 2)
		b := drawBindings(t, shape, n, 2*relations)
		s := m.Manifest.Settings
		s.Degrees = model.DefaultDegrees()
		s.Degrees.Candidates = rapid.IntRange(1, n).Draw(t, "candidates")
		mixed, _, err := lower.Mixed(shape, 0)
		if err != nil {
			t.Fatal(err)
		}
		fit := lower.FIT(shape)
		if len(fit.Sets) != len(mixed.Sets) {
			t.Fatalf("a plan has %d sets, mixed %d", len(fit.Sets), len(mixed.Sets))
		}
		checkPasses(t, fit, m, s, b)
		checkPasses(t, mixed, m, s, b)
	})
}

// drawBindings draws an argument for each slot.
func drawBindings(t *rapid.T, shape *lower.Shape, entities, relations int) scq.Bindings {
	var b scq.Bindings
	for range shape.Constants {
		b.Constants = append(b.Constants, model.EntityID(rapid.IntRange(0, entities-1).Draw(t, "constant")))
	}
	for range shape.Relations {
		b.Relations = append(b.Relations, model.RelationID(rapid.IntRange(0, relations-1).Draw(t, "relation")))
	}
	return b
}

// checkPasses runs all passes over a plan, one after the other.
func checkPasses(t *rapid.T, p *ir.Plan, m *query.Model, s model.Settings, b scq.Bindings) {
	t.Helper()
	var want *reference.Result
	check := func(after string) {
		t.Helper()
		if err := p.Verify(); err != nil {
			t.Fatalf("after %s: %v\n%s", after, err, p)
		}
		if read, err := ir.Parse(p.String()); err != nil || read.String() != p.String() {
			t.Fatalf("after %s: the text does not read back (%v):\n%s", after, err, p)
		}
		got, err := reference.Run(context.Background(), p, m.Model, s, b)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		equal := func(x, y []float32) bool {
			return slices.EqualFunc(x, y, func(v, w float32) bool { return math.Float32bits(v) == math.Float32bits(w) })
		}
		if !equal(got.Answer, want.Answer) || !slices.EqualFunc(got.Sets, want.Sets, equal) {
			t.Fatalf("after %s: result is %v, want %v\n%s", after, got, want, p)
		}
	}
	check("lowering")
	for _, ps := range pass.Default() {
		before := p.String()
		if changed := ps.Run(p); changed != (p.String() != before) {
			t.Fatalf("%s reports changed %v\nbefore\n%s\nafter\n%s", ps.Name, changed, before, p)
		}
		check(ps.Name)
		if after := p.String(); ps.Run(p) || p.String() != after {
			t.Fatalf("%s changes the plan a second time\nfrom\n%s\nto\n%s", ps.Name, after, p)
		}
	}
}

// TestFITRows checks that all rows of constants are made in one pass, and those of
// each variable's candidates in one more.
func TestFITRows(t *testing.T) {
	for formula, passes := range map[string]int{
		"r1(s1,f)":                                        1,
		"r1(s1,f)&r2(s2,f)&!r3(s3,f)":                     1,
		"r1(s1,f)|r2(s2,f)":                               1,
		"r1(s1,e1)&r2(e1,f)":                              2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,f)":                     2,
		"r1(s1,e1)&r2(e1,e2)&r3(e2,f)":                    3,
		"r1(s1,e1)&r2(e1,f)&r3(e1,f)&r4(s2,e1)":           2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)":           2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)": 3,
	} {
		p := lower.FIT(benchmarkShape(t, formula))
		if err := pass.Run(p, pass.Default(), nil); err != nil {
			t.Fatal(err)
		}
		if got := p.Passes(); got != passes {
			t.Errorf("%s: %d passes, want %d\n%s", formula, got, passes, p)
		}
	}
}
