package cugen_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/fit"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// declared matches the definition of a kernel.
var declared = regexp.MustCompile(`(?m)^(?:KERNEL|FIT_KERNEL|FIT_ROWS)\((\w+),|^extern "C" .* efoc_(\w+)\(ARGUMENTS\) \{`)

// TestIdleKernels checks that plans launch exactly the kernels that exist, and bounds the number of generated lines
// of the benchmark shapes.
func TestIdleKernels(t *testing.T) {
	idle := map[string]bool{}
	note := func(text string) {
		for _, name := range declared.FindAllStringSubmatch(text, -1) {
			idle[name[1]+name[2]] = true
		}
	}
	note(cuda.Headers()["table.cuh"])
	note(fit.Source().Text)
	lines := 0
	for _, p := range shapes.ShapesDevicePlans {
		source, err := p.Source()
		require.NoError(t, err)
		note(source.Text)
		lines += strings.Count(source.Text, "\n")
	}
	if lines > 2700 {
		t.Errorf("%d lines are generated", lines)
	}
	if len(idle) < 23+5 {
		t.Fatalf("there are but the kernels %v", idle)
	}
	for name := range allLaunched(t) {
		if _, ok := idle[name]; !ok {
			t.Errorf("%s is launched, and does not exist", name)
		}
		idle[name] = false
	}
	for name, is := range idle {
		if is {
			t.Errorf("no plan launches %s", name)
		}
	}
}

// allLaunched returns the kernels launched by benchmark shapes, for single queries and batches, and by a plan with
// every op of truth degrees, on tables of all types.
func allLaunched(t *testing.T) map[string]bool {
	t.Helper()
	c := &counter{resident: 264, kernels: map[string]bool{}}
	d, err := device.Open(func() (cuda.Driver, error) { return c, nil }, device.Tuning{TopThreads: 32})
	require.NoError(t, err)
	degrees, err := cugen.Degrees(degreePlan(t))
	require.NoError(t, err)
	degrees.Semantics = model.Mixed
	s := model.DefaultSettings()
	s.Degrees = model.DefaultDegrees()
	s.Degrees.Candidates = 3
	for _, kind := range []table.Type{table.Float32, table.Int8} {
		m, err := d.Load(newModel(t, 3, 300, 8, kind, 100).Bundle())
		require.NoError(t, err)
		for _, p := range append(shapes.ShapesDevicePlans, degrees) {
			q, err := m.Runner(p)
			require.NoError(t, err)
			b := scq.Bindings{Constants: make([]graph.EntityID, p.Constants), Relations: make([]graph.RelationID, p.Relations)}
			for _, batch := range [][]scq.Bindings{{b}, {b, b, b}} {
				_, err := q.Top(t.Context(), batch, s, 10, 0)
				require.NoError(t, err)
			}
		}
	}
	return c.kernels
}
