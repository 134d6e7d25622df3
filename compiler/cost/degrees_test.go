package cost_test

import (
	"math"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// degreePlan returns the plan of truth degrees of a formula.
func degreePlan(t *testing.T, formula string) *ir.Plan {
	t.Helper()
	q, err := lang.ParseFormula(formula)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := lang.Normalize(q)
	if err != nil {
		t.Fatal(err)
	}
	p := lower.FIT(lower.NewShape(d))
	if err := pass.Run(p, pass.Default(), nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPredictRows checks how many rows each pass makes, one query at a time, in a
// batch, and by the exact method. Of four candidates, 2.9 have rows.
func TestPredictRows(t *testing.T) {
	const table = 1000 * 16 * 4
	batch, exact, many := sizes, sizes, sizes
	batch.Batch, exact.Candidates, many.Batch = 4, 1000, 3000
	for _, c := range []struct {
		name, formula string
		sizes         cost.Sizes
		scores        []int
		bytes         float64
	}{
		{"constants", `r("a", y) & s("b", y)`, sizes, []int{2}, table},
		{"candidates", `exists x. r("a", x) & s(x, y)`, sizes, []int{1, 3}, 2 * table},
		{"two relations of them", `exists x. r("a", x) & s(x, y) & !u(x, y)`, sizes, []int{1, 6}, 2 * table},
		{"a batch", `exists x. r("a", x) & s(x, y)`, batch, []int{4, 12}, 2 * table},
		{"unknown", `exists x. s(x, y) & r("a", y)`, sizes, []int{1}, table},
		{"unknown, exact", `exists x. s(x, y) & r("a", y)`, exact, []int{1001}, table},
		{"enumerated", `exists x, z. r("a", x) & s(x, z) & u(x, y) & v(z, y)`, sizes, []int{1, 6, 3}, 3 * table},
		// 16 MiB of scores are 4194 rows.
		{"more than a pass makes", `exists x. r("a", x) & s(x, y)`, many, []int{3000, 9000}, (1 + 3) * table},
	} {
		e := cost.Predict(degreePlan(t, c.formula), c.sizes, constants)
		var scores []int
		dots := 0
		for _, w := range e.Sweeps {
			scores = append(scores, w.Scores)
			dots += w.Scores
			if w.Rows != 1000 || w.Seconds <= 0 || w.Sums != 0 || !w.Shared {
				t.Errorf("%s: sweep %+v", c.name, w)
			}
		}
		if len(scores) != len(c.scores) {
			t.Errorf("%s: passes make %v rows, want %v", c.name, scores, c.scores)
			continue
		}
		for i := range scores {
			if scores[i] != c.scores[i] {
				t.Errorf("%s: passes make %v rows, want %v", c.name, scores, c.scores)
				break
			}
		}
		if e.TableBytes != c.bytes || e.RowFLOPs != float64(dots)*2*1000*16 || e.Exps != float64(dots)*1000 {
			t.Errorf("%s: estimate is %+v, want %g bytes of the table", c.name, e.Work, c.bytes)
		}
	}
}

// TestPredictNoRows checks that a pass which makes no row costs nothing.
func TestPredictNoRows(t *testing.T) {
	every := &ir.Value{Op: ir.Every, Args: []*ir.Value{{}}}
	p := &ir.Plan{Values: []*ir.Value{every, {Op: ir.Rows, Sweep: 1, Args: []*ir.Value{every}}}}
	e := cost.Predict(p, sizes, constants)
	if len(e.Sweeps) != 1 || e.Sweeps[0].Rows != 0 || e.Sweeps[0].Scores != 0 || e.Bytes != 0 || e.FLOPs != 0 || e.Seconds != 0 {
		t.Errorf("the estimate is %+v", e)
	}
}

// TestPredictRowsSeconds works out the time of two passes by hand: one of few rows,
// which are products with vectors, and one that is a product of matrices.
func TestPredictRowsSeconds(t *testing.T) {
	const table, dot = 64e3, 32e3
	row := &ir.Value{Op: ir.Row, Sweep: 1}
	best := &ir.Value{Op: ir.Best, Args: []*ir.Value{row}}
	p := &ir.Plan{Values: []*ir.Value{row, {Op: ir.Row, Sweep: 1}, best, {Op: ir.Rows, Sweep: 2, Args: []*ir.Value{best}}}}
	s := sizes
	s.Candidates = 12 // 9 rows
	e := cost.Predict(p, s, constants)
	// Of each row: four vectors, exponentials, a comparison each; half are listed.
	const scored = 4*4*1000 + 1000 + 1000
	const listed = 8*500 + 500
	want := []float64{
		(table + dot + 2*(scored+listed)) / 1e9,
		(2*table + 9*dot/2 + 9*4*1000 + 9*(scored+listed)) / 1e9,
	}
	for i, w := range e.Sweeps {
		if math.Abs(w.Seconds-want[i]) > 1e-12 {
			t.Errorf("pass %d takes %g s, want %g", i+1, w.Seconds, want[i])
		}
	}
	if search := e.Seconds - e.Sweeps[0].Seconds - e.Sweeps[1].Seconds; math.Abs(search-(8*500+2*500)/1e9) > 1e-12 {
		t.Errorf("the search for the best takes %g s", search)
	}
	two := *constants
	two.Threads = 2
	if got, want := cost.Predict(p, s, &two).Sweeps[0].Seconds, (table+dot+scored+listed)/1e9; math.Abs(got-want) > 1e-12 {
		t.Errorf("pass 1 takes %g s on two threads, want %g", got, want)
	}
}

// TestPredictBranches checks that what is done for each value of an enumerated
// variable costs once for each of 16·K, and of all entities by the exact method.
func TestPredictBranches(t *testing.T) {
	p := degreePlan(t, `exists x, z. r("a", x) & s(x, z) & u(x, y) & v(z, y)`)
	var narrow *ir.Value
	for _, v := range p.Values {
		if v.Op == ir.Narrow {
			narrow = v
		}
	}
	known, rows := narrow.Args[0], narrow.Args[2]
	push := &ir.Value{Op: ir.Push, Args: narrow.Args[1:]}
	alone := &ir.Value{Op: ir.Push, Args: []*ir.Value{{}, rows}}
	few, more, all := sizes, sizes, sizes
	few.Candidates, more.Candidates, all.Candidates = 4, 8, 1000
	// 3 steps for each of the 500 listed entities of a row, one for each entity, one for
	// each that is listed then; 8 for each that has no row. In 0.3 of 64 branches one row
	// is gone through, otherwise three.
	const row, list, links = 3 * 500, 1000 + 500, 8 * 500
	if one := cost.Of(alone, few); one.Scalars != 3*row+list+links {
		t.Errorf("a push takes %g steps", one.Scalars)
	}
	if branched := cost.Of(push, few); math.Abs(branched.Scalars-0.3*64*(row+list)-3*links) > 1e-6 {
		t.Errorf("a push takes %g steps in 64 branches", branched.Scalars)
	}
	if a, b := cost.Of(push, few), cost.Of(push, more); math.Abs(b.Scalars-2*a.Scalars) > 1e-6 {
		t.Errorf("a push takes %g steps in 64 branches, %g in 128", a.Scalars, b.Scalars)
	}
	if one, branched := cost.Of(alone, all), cost.Of(push, all); branched.Scalars != 1000*one.Scalars {
		t.Errorf("a push takes %g steps, %g in 1000 branches", one.Scalars, branched.Scalars)
	}
	// To narrow is to push and to multiply, but for branches that look up the few
	// entities which they know.
	both := func(known *ir.Value) (float64, float64) {
		n := cost.Of(&ir.Value{Op: ir.Narrow, Args: []*ir.Value{known, push.Args[0], rows}}, few)
		times := cost.Of(&ir.Value{Op: ir.Times, Args: []*ir.Value{known, push}}, few)
		return n.Scalars, times.Scalars + cost.Of(push, few).Scalars
	}
	if n, two := both(&ir.Value{Op: ir.Row}); n != two {
		t.Errorf("narrowing takes %g steps, want the %g of two ops", n, two)
	}
	if n, two := both(known); n >= two {
		t.Errorf("narrowing by what branches know takes %g steps, two ops %g", n, two)
	}
	// What joins the branches is one again.
	join := &ir.Value{Op: ir.Join, Args: []*ir.Value{push, {}}}
	best := &ir.Value{Op: ir.Push, Args: []*ir.Value{join, rows}}
	if cost.Of(best, few) != cost.Of(alone, few) {
		t.Error("a push of what is joined costs another than one of a single set")
	}
	// Two variables have 64·K combinations at most, not (16·K)².
	root := &ir.Value{Op: ir.Root}
	outer := &ir.Value{Op: ir.Branch, Args: []*ir.Value{{}, {}, root}}
	inner := &ir.Value{Op: ir.Branch, Args: []*ir.Value{{}, {}, outer}}
	follow := func(b *ir.Value) float64 {
		return cost.Of(&ir.Value{Op: ir.Follow, Args: []*ir.Value{{}, b}}, few).VectorBytes
	}
	if follow(inner) != 4*follow(outer) {
		t.Errorf("branches take %g bytes, those of two variables %g, want four times as many", follow(outer), follow(inner))
	}
}

// TestPredictDegrees checks the plans of both other semantics as TestPredict does those
// of message passing: passes are shared, more candidates cost more, and a mixture costs
// more than either part.
func TestPredictDegrees(t *testing.T) {
	sizes := sizes
	sizes.Candidates = 8
	for _, s := range lang.Shapes {
		shape, err := compiler.BenchmarkShape(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		seconds := map[model.Semantics]float64{}
		for _, semantics := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
			c, err := compiler.Compile(shape, compiler.CompileOptions{Semantics: semantics})
			if err != nil {
				t.Fatal(err)
			}
			before, after := cost.Predict(c.Naive, sizes, constants), cost.Predict(c.Plan, sizes, constants)
			if len(after.Sweeps) != c.Plan.WholePasses() || len(before.Sweeps) != c.Naive.Passes() {
				t.Errorf("%s, %s: %d and %d sweeps, the plans make %d and %d passes", s.Name, semantics,
					len(before.Sweeps), len(after.Sweeps), c.Naive.Passes(), c.Plan.WholePasses())
			}
			if after.Bytes > before.Bytes || after.Seconds > before.Seconds || after.Seconds <= 0 {
				t.Errorf("%s, %s: the passes bring %g bytes, %g s to %g bytes, %g s", s.Name, semantics,
					before.Bytes, before.Seconds, after.Bytes, after.Seconds)
			}
			seconds[semantics] = after.Seconds
			wide := sizes
			wide.Candidates = 30
			if e := cost.Predict(c.Plan, wide, constants); (e.Seconds > after.Seconds) != makesRows(c.Plan) {
				t.Errorf("%s, %s: %g s with 30 candidates, %g s with 8", s.Name, semantics, e.Seconds, after.Seconds)
			}
			if bare := cost.Predict(c.Plan, sizes, nil); bare.Seconds != 0 || bare.Bytes != after.Bytes || bare.FLOPs != after.FLOPs {
				t.Errorf("%s, %s: without constants the estimate is %+v", s.Name, semantics, bare)
			}
		}
		if sum := seconds[model.NSMP] + seconds[model.FIT]; seconds[model.Mixed] < sum {
			t.Errorf("%s: a mixture takes %g s, its parts %g", s.Name, seconds[model.Mixed], sum)
		}
	}
}

// makesRows reports whether a plan makes rows of candidates that constants lead to.
func makesRows(p *ir.Plan) bool {
	for _, v := range p.Values {
		if v.Op == ir.Rows && v.Args[0].Op != ir.Every {
			return true
		}
	}
	return false
}
