package benchmark

import (
	"bytes"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, shape, want string }{
		{"2p", "r1(s1,e1) & r2(e1,f)", "2p"},
		{"", "r1(s1,f)", "r1(s1,f)"},
		{"", strings.Repeat("r1(s1,f) & ", 9) + "r2(s1,f)", "10 atoms"},
	} {
		if got := (&Shape{Name: c.name, Shape: c.shape}).title(); got != c.want {
			t.Errorf("title of %q, %q is %q, want %q", c.name, c.shape, got, c.want)
		}
	}
}

// TestMeasureFails checks that a cell that fails takes no times from the others.
func TestMeasureFails(t *testing.T) {
	host, err := plantest.NewModel(1, 20, 2, 4, model.DefaultSettings())
	require.NoError(t, err)
	q, err := lang.ParseBenchmark("r1(s1,f)")
	require.NoError(t, err)
	p, err := compiler.Prepare(host, q, compiler.Options{})
	require.NoError(t, err)
	cell := func(engine string, constant graph.EntityID) *Cell {
		return &Cell{Engine: engine, Batch: 1, Settings: p.Settings, question: p.Question, batches: [][]runtime.Args{{p.Spec().Args(int32(constant), 1)}}}
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
		if len(c.Runs) != want || (c.Error != "") != (want == 0) || strings.Contains(text.String(), c.Label()) != (want > 0) {
			t.Errorf("%s has %d runs, want %d; its error is %q\n%s", c.Engine, len(c.Runs), want, c.Error, &text)
		}
	}
}
