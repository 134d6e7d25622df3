package benchmark

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestMeasureFails checks that a cell that fails takes no times from the others.
func TestMeasureFails(t *testing.T) {
	host, err := plantest.NewModel(1, 20, 2, 4, model.DefaultSettings())
	require.NoError(t, err)
	q, err := lang.ParseBenchmark("r1(s1,f)")
	require.NoError(t, err)
	p, err := compiler.Prepare(host, q, compiler.Options{})
	require.NoError(t, err)
	cell := func(engine string, constant graph.EntityID) *Cell {
		return Cell{Engine: engine, question: p.Question, batches: [][]runtime.Args{{p.Spec().Args(int32(constant), 1)}}}.inBatches(1)
	}
	r := &Result{Runs: 2, Shapes: []*Shape{{Name: "1p", Cells: []*Cell{cell("good", 3), cell("bad", 20), cell("last", 4)}}}}
	err = r.Measure(t.Context(), func(int, int) {})
	if err == nil || !strings.HasPrefix(err.Error(), "1p, mixed bad, batch 1: ") {
		t.Errorf("error is %v", err)
	}
	var text bytes.Buffer
	r.Text(&print.Printer{W: &text})
	for i, want := range []int{2, 0, 2} {
		c := r.Shapes[0].Cells[i]
		if len(c.Best.Runs) != want || len(c.Answer.Runs) != want || (c.Error != "") != (want == 0) || strings.Contains(text.String(), c.Label()) != (want > 0) {
			t.Errorf("%s has %d runs, want %d; its error is %q\n%s", c.Engine, len(c.Best.Runs), want, c.Error, &text)
		}
	}
}

// TestRatios compares engines of two shapes with generated code; one that failed, and a shape without generated code, are
// left out.
func TestRatios(t *testing.T) {
	cell := func(engine string, best, answer, share float64) *Cell {
		return &Cell{
			Semantics: model.NSMP, Engine: engine, Batch: 1, Kernels: share,
			Best: Call{Seconds: trial.Summary{Min: best}}, Answer: Call{Seconds: trial.Summary{Min: answer}, Runs: []float64{answer}},
		}
	}
	failed := cell("layers", 1000, 1000, 0)
	failed.Error = "it failed"
	r := &Result{Shapes: []*Shape{
		{Cells: []*Cell{cell("interpreted", 6, 8, 0.5), cell("compiled", 2, 4, 0.75)}},
		{Cells: []*Cell{cell("interpreted", 4, 6, 0.25), cell("compiled", 4, 4, 0.25), failed}},
		{Cells: []*Cell{cell("interpreted", 1000, 1000, 1)}},
	}}
	var text bytes.Buffer
	r.ratios(&print.Printer{W: &text})
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")[3:]
	want := []string{
		"nsmp interpreted      1  2.00 (1.00 to 3.00)  2.75 (1.50 to 4.00)  38% (25% to 50%)",
		"nsmp compiled         1  1.00 (1.00 to 1.00)  1.50 (1.00 to 2.00)  50% (25% to 75%)",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("ratios are\n%s\nwant\n%s", &text, strings.Join(want, "\n"))
	}
}
