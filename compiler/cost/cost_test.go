package cost_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

var (
	sizes = cost.Sizes{Entities: 1000, Rank: 8, Edges: 50, Candidates: 4}
	// constants are round numbers.
	constants = &cost.Constants{
		Threads: 1, Read: 1e9, Bandwidth: 1e9, Alone: 1e9, FLOPS: 1e9, Products: 2e9, ProductBandwidth: 5e8,
		Gathers: 1e9, Vectors: 1e9, Exps: 1e9, Scalars: 1e9, Edges: 1e9,
	}
)

// plans returns the plan of a shape before and after the passes.
func plans(t *testing.T, shape string) (naive, plan *ir.Plan) {
	t.Helper()
	s, err := compiler.BenchmarkShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Compile(s, compiler.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Naive, c.Plan
}

// TestEveryOp checks that every op has a cost, and that the ops that make a pass
// over the table do an inner product or a sum with each row.
func TestEveryOp(t *testing.T) {
	// What is read where it is used costs nothing, nor does what is a number or less.
	views := map[string]bool{"entity": true, "keptvec": true, "keptemb": true, "any": true, "every": true, "root": true}
	columns := map[ir.Op]float64{ir.Rows: 3} // scores of each row, 1 unless stated; 0.72 of the candidates have rows
	for _, op := range ir.Ops() {
		info := op.Info()
		v := &ir.Value{Op: op}
		for range info.Args {
			v.Args = append(v.Args, &ir.Value{})
		}
		w := cost.Of(v, sizes)
		if views[info.Name] != (w.Bytes() == 0) {
			t.Errorf("%s moves %g bytes", op, w.Bytes())
		}
		if pass := info.Passes > 0; pass != (w.RowFLOPs == 2*1000*16*max(1, columns[op])) {
			t.Errorf("%s makes %d passes and %g operations on rows", op, info.Passes, w.RowFLOPs)
		}
		if info.Variadic {
			more := &ir.Value{Op: op, Args: append(v.Args, v.Args[0], v.Args[0])}
			if cost.Of(more, sizes).VectorBytes <= w.VectorBytes {
				t.Errorf("%s costs the same with two operands more", op)
			}
		}
	}
}

func TestOf(t *testing.T) {
	add := &ir.Value{Op: ir.Blend, Args: []*ir.Value{{}, {}}}
	if got, want := cost.Of(add, sizes), (cost.Work{VectorBytes: 3 * 4 * 1000, VectorFLOPs: 1000}); got != want {
		t.Errorf("add costs %+v, want %+v", got, want)
	}
	traverse := &ir.Value{Op: ir.Traverse, Args: []*ir.Value{{}}}
	if got := cost.Of(traverse, sizes); got.Edges != 50 {
		t.Errorf("traverse follows %g edges, want 50", got.Edges)
	}
	if got := cost.Of(traverse, cost.Sizes{Entities: 1000, Rank: 8}); got.Edges != 100 {
		t.Errorf("traverse follows %g edges of a relation of unknown size, want 100", got.Edges)
	}
	if got := sizes.TableBytes(); got != 1000*16*4 {
		t.Errorf("table has %g bytes", got)
	}
	half := sizes
	half.NumberBytes = 2
	if got := half.TableBytes(); got != 1000*16*2 {
		t.Errorf("table of half width has %g bytes", got)
	}
	coded := sizes
	coded.NumberBytes, coded.ExactBytes = 0.5, 4
	if got := coded.TableBytes(); got != 1000*16/2 {
		t.Errorf("table of 4-bit codes has %g bytes", got)
	}
	if coded.Batch = 2; coded.TableBytes() != 1000*16*4 {
		t.Errorf("a batch reads %g bytes of a table of codes, want those of the rows beside them", coded.TableBytes())
	}
}

// TestPredict compares estimates with what the plans say of themselves.
func TestPredict(t *testing.T) {
	for _, shape := range lang.Shapes {
		naive, plan := plans(t, shape.Name)
		before, after := cost.Predict(naive, sizes, constants), cost.Predict(plan, sizes, constants)
		for _, c := range []struct {
			plan *ir.Plan
			est  *cost.Estimate
		}{{naive, before}, {plan, after}} {
			if len(c.est.Sweeps) != c.plan.WholePasses() { // the table is too small for a readout without
				t.Errorf("%s: %d sweeps, the plan makes %d passes", shape.Name, len(c.est.Sweeps), c.plan.WholePasses())
			}
			if c.est.Bytes < sizes.TableBytes()*float64(c.plan.Passes()) || c.est.FLOPs < c.est.RowFLOPs {
				t.Errorf("%s: estimate is %+v", shape.Name, c.est)
			}
			checkSweeps(t, shape.Name, c.plan, c.est)
		}
		if after.Seconds <= 0 || after.Seconds >= before.Seconds || after.Bytes >= before.Bytes {
			t.Errorf("%s: the passes bring %g bytes, %g s to %g bytes, %g s",
				shape.Name, before.Bytes, before.Seconds, after.Bytes, after.Seconds)
		}
		if bare := cost.Predict(plan, sizes, nil); bare.Seconds != 0 || bare.Bytes != after.Bytes || bare.FLOPs != after.FLOPs {
			t.Errorf("%s: without constants the estimate is %+v", shape.Name, bare)
		}
	}
}

// checkSweeps compares scores and sums with the values of the plan.
func checkSweeps(t *testing.T, name string, p *ir.Plan, e *cost.Estimate) {
	t.Helper()
	scores, sums, wantScores, wantSums := 0, 0, 0, 0
	for _, w := range e.Sweeps {
		scores, sums = scores+w.Scores, sums+w.Sums
		if w.Rows != sizes.Entities || w.Bytes != sizes.TableBytes() || w.FLOPs != float64(w.Scores+w.Sums)*2*1000*16 {
			t.Errorf("%s: sweep %+v", name, w)
		}
	}
	for _, v := range p.Values {
		switch {
		case v.Op == ir.Embed || v.Op == ir.Estimate:
			wantSums++
		case v.Op.Info().Passes+v.Op.Info().WholePasses > 0:
			wantScores++
		}
	}
	if scores != wantScores || sums != wantSums {
		t.Errorf("%s: %d scores and %d sums, want %d and %d", name, scores, sums, wantScores, wantSums)
	}
}

// TestPredictReadout checks that no pass is predicted for the readout of a large table, and
// that the moments that are read instead are less than that.
func TestPredictReadout(t *testing.T) {
	large := cost.Sizes{Entities: 14505, Rank: 256}
	for _, shape := range lang.Shapes {
		_, plan := plans(t, shape.Name)
		got := cost.Predict(plan, large, constants)
		if len(got.Sweeps) != plan.Passes() {
			t.Errorf("%s: %d sweeps, the plan makes %d passes", shape.Name, len(got.Sweeps), plan.Passes())
		}
		last := plan.Values[len(plan.Values)-1]
		if bytes := cost.Of(last, large).Bytes(); last.Op == ir.Readout && (bytes < 512*512*4 || bytes > large.TableBytes()/4) {
			t.Errorf("%s: a readout reads %g bytes, the table has %g", shape.Name, bytes, large.TableBytes())
		}
	}
}

// TestPredictSeconds works an estimate out by hand: two values of one sweep and
// one of its own.
func TestPredictSeconds(t *testing.T) {
	p := &ir.Plan{Values: []*ir.Value{
		{Op: ir.Score, Sweep: 1, Args: []*ir.Value{{}}},
		{Op: ir.Embed, Sweep: 1, Args: []*ir.Value{{}}},
		{Op: ir.Score, Args: []*ir.Value{{}}},
	}}
	const table, dot, vectors = 64e3, 32e3, 12e3
	got := cost.Predict(p, sizes, constants)
	if want := (2*table + dot + vectors) / 1e9; math.Abs(got.Seconds-want) > 1e-12 {
		t.Errorf("predicted %g s, want %g", got.Seconds, want)
	}
	if !got.Sweeps[0].Shared || got.Sweeps[1].Shared {
		t.Errorf("sweeps are %+v, want the first to be shared alone", got.Sweeps)
	}
	// Four queries share the first pass, and each makes the second.
	s := sizes
	s.Batch = 4
	four := cost.Predict(p, s, constants)
	if four.TableBytes != 5*table || four.RowFLOPs != 12*dot || four.Sweeps[0].Scores != 4 {
		t.Errorf("a batch of four costs %+v", four)
	}
	if want := (5*table + 7*dot + 4*vectors) / 1e9; math.Abs(four.Seconds-want) > 1e-12 {
		t.Errorf("predicted %g s for a batch of four, want %g", four.Seconds, want)
	}
	// A second thread halves what is not bound by the memory.
	two := *constants
	two.Threads, two.Bandwidth, two.Read = 2, 2e9, 2e9
	if want := (5*table/2 + 7*dot + 4*vectors/2) / 1e9; math.Abs(cost.Predict(p, s, &two).Seconds-want) > 1e-12 {
		t.Errorf("predicted %g s on two threads, want %g", cost.Predict(p, s, &two).Seconds, want)
	}
}

// TestPredictCodes checks that a pass over codes counts the rows that each score reads again.
func TestPredictCodes(t *testing.T) {
	p := &ir.Plan{Values: []*ir.Value{{Op: ir.Score, Sweep: 1, Args: []*ir.Value{{}}}, {Op: ir.Embed, Sweep: 1, Args: []*ir.Value{{}}}}}
	coded := cost.Sizes{Entities: 1000, Rank: 8, NumberBytes: 1, ExactBytes: 2}
	if got := cost.Predict(p, coded, nil).TableBytes; got != 1000*16+query.RowsAgain*16*2 {
		t.Errorf("a pass over codes reads %g bytes", got)
	}
	coded.Entities = 100 // fewer than that
	if got := cost.Predict(p, coded, nil).TableBytes; got != 100*16*(1+2) {
		t.Errorf("a pass over codes of a small table reads %g bytes", got)
	}
}

// TestPredictBatch checks that a batch estimates nothing: it embeds where one query
// corrects, in a pass that all share, as products of matrices where there are
// enough.
func TestPredictBatch(t *testing.T) {
	state, score := &ir.Value{}, &ir.Value{Op: ir.Score, Sweep: 1, Args: []*ir.Value{{}}}
	estimate := &ir.Value{Op: ir.Estimate, Sweep: 1, Args: []*ir.Value{score}}
	correct := &ir.Value{Op: ir.Correct, Args: []*ir.Value{state, estimate}}
	p := &ir.Plan{Values: []*ir.Value{score, estimate, correct}}
	const table, dot, vectors = 64e3, 32e3, 8e3
	s := sizes
	s.Batch = 10
	got := cost.Predict(p, s, constants)
	if len(got.Sweeps) != 2 || got.Sweeps[0].Sums != 0 || got.Sweeps[1].Sums != 10 || got.TableBytes != 2*table {
		t.Fatalf("a batch costs %+v", got)
	}
	// Of each pass the reading and ten products; ten vectors of scores are moved and
	// ten of weights.
	const moved = 10*8e3 + 10*8e3
	if want := (2*(table+10*dot/2) + moved + 10*vectors) / 1e9; math.Abs(got.Seconds-want) > 1e-12 {
		t.Errorf("predicted %g s, want %g", got.Seconds, want)
	}
	if one := cost.Predict(p, sizes, constants); len(one.Sweeps) != 1 || one.Sweeps[0].Sums != 1 {
		t.Errorf("one query costs %+v", one)
	}
}

// TestMeasure checks that every constant is measured, on tables of every type.
func TestMeasure(t *testing.T) {
	values := make([]float32, 300*32)
	for i := range values {
		values[i] = float32(i%7) - 3
	}
	for _, dtype := range model.TableTypes {
		table, err := model.NewTable(values, 32, dtype)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			c, err := cost.Measure(context.Background(), &table, threads)
			if err != nil {
				t.Fatal(err)
			}
			if c.Threads != threads {
				t.Errorf("measured on %d threads, want %d", c.Threads, threads)
			}
			v := reflect.ValueOf(*c)
			for i := range v.NumField() {
				if f := v.Field(i); f.CanFloat() && !(f.Float() > 0 && f.Float() < 1e15) {
					t.Errorf("%s, %d threads: %s is %g", dtype, threads, v.Type().Field(i).Name, f.Float())
				}
			}
		}
	}
}

// TestMedian checks that no constant is left out.
func TestMedian(t *testing.T) {
	var measured []*cost.Constants
	for _, x := range []float64{3, 100, 1, 5} {
		c := &cost.Constants{Threads: 2}
		for i := range reflect.ValueOf(c).Elem().NumField() {
			if f := reflect.ValueOf(c).Elem().Field(i); f.CanFloat() {
				f.SetFloat(x)
			}
		}
		measured = append(measured, c)
	}
	for n, want := range map[int]float64{1: 3, 3: 3, 4: 4} {
		got := cost.Median(measured[:n])
		for i := range reflect.ValueOf(*got).NumField() {
			if f := reflect.ValueOf(*got).Field(i); f.CanFloat() && f.Float() != want {
				t.Errorf("of %d measurements, %s is %g, want %g", n, reflect.TypeOf(*got).Field(i).Name, f.Float(), want)
			}
		}
		if got.Threads != 2 {
			t.Errorf("threads are %d", got.Threads)
		}
	}
	if measured[0].Read != 3 || measured[1].Read != 100 {
		t.Error("the measurements were changed")
	}
}

func TestMeasureErrors(t *testing.T) {
	if _, err := cost.Measure(context.Background(), &model.Table{}, 1); err == nil || !strings.Contains(err.Error(), "needs rows") {
		t.Errorf("an empty table gives %v", err)
	}
	table, err := cost.Synthetic(10, 2)
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows() != 10 || table.Width() != 4 {
		t.Errorf("made a table of %d rows of %d", table.Rows(), table.Width())
	}
	if _, err := cost.Measure(context.Background(), table, 0); err == nil {
		t.Error("no thread: want an error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := cost.Measure(ctx, table, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestScale(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0 ", 12: "12 ", 999.6: "1 k", 29.7e6: "29.7 M", 1.234e9: "1.23 G", 5e12: "5 T", 1e15: "1e+03 T",
	} {
		if got := cost.Scale(x); got != want {
			t.Errorf("Scale(%g) is %q, want %q", x, got, want)
		}
	}
}
