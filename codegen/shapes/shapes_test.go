package shapes

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestKernels checks that every plan has kernels of the same shape, which report the same fuzzy sets.
func TestKernels(t *testing.T) {
	for _, p := range ShapesPlans {
		k := p.Kernels
		if k == nil || k.Shape != p.Shape || k.Constants != p.Constants || k.Relations != p.Relations {
			t.Errorf("shape %s has the kernels %+v", p.Shape, k)
			continue
		}
		if lists := 1 + len(p.Sets); len(k.Program.Lists) != lists {
			t.Errorf("shape %s ranks %d vectors, its kernels %d", p.Shape, lists, len(k.Program.Lists))
		}
	}
}

// TestSource checks that shapes.efo has every benchmark shape, in the order of the table, that each has a plan for
// every semantics, and that the benchmark's own formulas find the plans.
func TestSource(t *testing.T) {
	text, err := os.ReadFile("shapes.efo")
	require.NoError(t, err)
	f, err := lang.ParseFile("shapes.efo", text)
	require.NoError(t, err)
	if len(f.Queries) != len(benchmark.Shapes) || len(ShapesPlans) != len(benchmark.Shapes) {
		t.Fatalf("%d templates and %d plans, want %d", len(f.Queries), len(ShapesPlans), len(benchmark.Shapes))
	}
	for i, s := range benchmark.Shapes {
		q, err := benchmark.Query(s.Name)
		require.NoError(t, err)
		want := stages.Analyze(q).Shape()
		dnf := f.Queries[i].Normal
		for _, semantics := range model.AllSemantics {
			if !slices.ContainsFunc(Plans(), func(p *plan.Plan) bool { return p.Shape == want.Key && p.Semantics == semantics }) {
				t.Errorf("%s has no plan for semantics %s", s.Name, semantics)
			}
		}
		if got := lower.NewShape(dnf).Key; got != want.Key || ShapesPlans[i].Shape != want.Key {
			t.Errorf("%s: template has shape %s, its plan %s; want %s", s.Name, got, ShapesPlans[i].Shape, want.Key)
		}
	}
}

// TestWidth checks that lines of generated code are not too long.
func TestWidth(t *testing.T) {
	for _, name := range []string{"shapes_efo.go", "shapes_cuda_efo.go"} {
		code, err := os.ReadFile(name)
		require.NoError(t, err)
		n := 0
		for line := range strings.Lines(string(code)) {
			n++
			if width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) - 1; width > 120 {
				t.Errorf("%s:%d has %d columns: %s", name, n, width, line)
			}
		}
	}
}
