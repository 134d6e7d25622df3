package pass_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestPasses runs each pass over the plans of its folder in testdata/passes.
func TestPasses(t *testing.T) {
	for _, ps := range append(pass.Default(), pass.SplitReductions, pass.Distribute, pass.Fuse) {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "passes", ps.Name, "*.txtar"))
		require.NoError(t, err)
		if len(files) == 0 {
			t.Errorf("pass %s has no cases", ps.Name)
		}
		for _, file := range files {
			t.Run(ps.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				testCase(t, ps, file)
			})
		}
	}
}

// testCase runs a pass over the plan of one file, twice.
func testCase(t *testing.T, ps pass.Pass, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	archive := txtar.Parse(text)
	if len(archive.Files) != 2 || archive.Files[0].Name != "before" || archive.Files[1].Name != "after" {
		t.Fatalf("%s has not the sections before and after", file)
	}
	before, after := string(archive.Files[0].Data), string(archive.Files[1].Data)
	p, err := plantext.Parse(before)
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	for i, want := range []bool{before != after, false} {
		runs := 0
		require.NoError(t, pass.Run(p, []pass.Pass{ps}, func(ran pass.Pass, changed bool, after *ir.Plan) {
			if runs++; changed != want || after != p || ran.Name != ps.Name {
				t.Errorf("run %d: pass %s of plan %p changed something: %v, want %v", i+1, ran.Name, after, changed, want)
			}
		}))
		if got := p.String(); got != after {
			t.Errorf("run %d: before\n%s\nafter\n%s\nwant\n%s", i+1, before, got, after)
		}
		if runs != 1 {
			t.Errorf("run %d: %d passes were observed", i+1, runs)
		}
	}
}

// TestPassesKeepResults checks on random plans of all semantics that each pass is idempotent, and that it
// changes no bit of the interpreter's results.
func TestPassesKeepResults(t *testing.T) {
	passes := pass.Default()
	seed.Check(t, func(t *rapid.T) {
		const relations = 3
		n := rapid.IntRange(1, 10).Draw(t, "entities")
		d := plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Name: "T"}).Normal
		m := plantest.Model(t, n, relations, 2)
		m.Bundle().Manifest.Settings.Degrees = model.DefaultDegrees()
		m.Bundle().Manifest.Settings.Degrees.Candidates = rapid.IntRange(1, n).Draw(t, "candidates")
		shape := lower.NewShape(d)
		b := plantest.DrawArguments(t, n, relations).Bindings(shape.Constants, shape.Relations, shape.Filters)
		c, err := stages.Compile(shape, stages.Options{Semantics: rapid.SampledFrom(model.AllSemantics).Draw(t, "semantics")})
		require.NoError(t, err)
		p, order := c.Lowered, passes
		if c.Semantics == model.NSMP && rapid.Bool().Draw(t, "another order") {
			order = rapid.Permutation(passes).Draw(t, "order")
		}
		last := []pass.Pass{pass.SplitReductions, pass.Distribute}
		if rapid.Bool().Draw(t, "small") {
			last = []pass.Pass{pass.WriteOutReadout, pass.Fuse}
		}
		order = append(slices.Clone(order), last...)
		want := run(t, p, m, b)
		for _, ps := range order {
			before := p.String()
			changed := ps.Run(p)
			if err := p.Verify(); err != nil {
				t.Fatalf("%s: %v\nbefore\n%s\nafter\n%s", ps.Name, err, before, p)
			}
			after := p.String()
			if changed != (before != after) {
				t.Fatalf("%s reports changed %v\nbefore\n%s\nafter\n%s", ps.Name, changed, before, after)
			}
			if got := run(t, p, m, b); !same(got, want) {
				t.Fatalf("%s: result is %v, want %v\nbefore\n%s\nafter\n%s", ps.Name, got, want, before, p)
			}
			if ps.Run(p) || p.String() != after {
				t.Fatalf("%s changes the plan a second time\nfrom\n%s\nto\n%s", ps.Name, after, p)
			}
		}
	})
}

func run(t *rapid.T, p *ir.Plan, m *runtime.Model, b scq.Bindings) *reference.Result {
	t.Helper()
	r, err := reference.Run(context.Background(), p, m.Bundle(), m.Settings(), b)
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return r
}

// same compares results bit by bit.
func same(a, b *reference.Result) bool {
	equal := func(x, y []float32) bool {
		return slices.EqualFunc(x, y, func(v, w float32) bool { return math.Float32bits(v) == math.Float32bits(w) })
	}
	return equal(a.Answer, b.Answer) && slices.EqualFunc(a.Sets, b.Sets, equal)
}

// TestPassesAnyOrder runs the passes in every order on a plan with equal estimates of different states: the
// second estimate in the first disjunct comes from the message that is the state of the other's free variable.
func TestPassesAnyOrder(t *testing.T) {
	q, err := lang.ParseFormula(`r("a", y) & (!s("b", y) | exists x. u("c", x) & v(x, y))`)
	require.NoError(t, err)
	lowered, _, err := lower.NSMP(lower.NewShape(q.Normal), 0)
	require.NoError(t, err)
	var permute func(done, left []pass.Pass)
	permute = func(done, left []pass.Pass) {
		if len(left) == 0 {
			if err := pass.Run(lowered.Clone(), done, nil); err != nil {
				t.Error(err)
			}
		}
		for i, ps := range left {
			permute(append(slices.Clone(done), ps), slices.Concat(left[:i], left[i+1:]))
		}
	}
	permute(nil, pass.Default())
}

// TestDefault checks that each pass has a name and a description.
func TestDefault(t *testing.T) {
	names := map[string]bool{}
	for _, ps := range append(pass.Default(), pass.WriteOutReadout, pass.SplitReductions, pass.Distribute, pass.Fuse) {
		if ps.Name == "" || ps.Doc == "" || ps.Run == nil || names[ps.Name] {
			t.Errorf("pass %+v is not described, or there twice", ps)
		}
		names[ps.Name] = true
	}
}

// TestRunErrors checks that the driver names the pass that breaks a plan, and runs none after it.
func TestRunErrors(t *testing.T) {
	p, err := plantext.Parse("constants 1\nv0:vec = onehot s1\nanswer v0\n")
	require.NoError(t, err)
	var ran []string
	breaking := pass.Pass{Name: "BreakPlan", Run: func(p *ir.Plan) bool {
		p.Values[0].Const = 7
		return true
	}}
	err = pass.Run(p, []pass.Pass{pass.PruneDead, breaking, pass.ReadRows}, func(ps pass.Pass, _ bool, _ *ir.Plan) { ran = append(ran, ps.Name) })
	if want := "internal error: pass BreakPlan: v0 (onehot): no constant slot 7"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if errors.Unwrap(err) == nil {
		t.Error("the cause is not wrapped")
	}
	if !slices.Equal(ran, []string{"PruneDead"}) {
		t.Errorf("observed %v, want PruneDead alone", ran)
	}
	if err := pass.Run(p.Clone(), nil, nil); err != nil {
		t.Error(err)
	}
}
