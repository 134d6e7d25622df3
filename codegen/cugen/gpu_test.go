//go:build cuda

package cugen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestGPU compares every op and every shape with the interpreter on the GPU.
func TestGPU(t *testing.T) {
	d, err := nvidia.Open()
	require.NoError(t, err)
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if strings.HasPrefix(d.Name(), "FAKE") {
		t.Skip("a fake driver computes nothing: comparing numbers needs a GPU")
	}
	t.Run("ops", func(t *testing.T) { compareOps(t, d) })
	t.Run("degreeops", func(t *testing.T) { compareDegreeOps(t, d) })
	t.Run("batches", func(t *testing.T) { compareBatches(t, d) })
	for _, c := range []struct {
		n, rank int
		table   table.Type
	}{
		{300, 40, table.Float32}, {300, 40, table.Int8},
		{700, 150, table.Float32}, {700, 1000, table.Float32}, {700, 1000, table.Int8},
	} {
		for _, group := range []string{"", "degrees", "typed"} {
			t.Run(fmt.Sprint(group, c.table, c.rank), func(t *testing.T) {
				host := newModel(t, 3, c.n, c.rank, c.table, 100)
				if group != "typed" {
					compareAll(t, d, host, group == "degrees")
					return
				}
				m, err := host.On(d)
				require.NoError(t, err)
				compareGenerated(t, host, m)
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// compareBatches compares full batches on a graph of the size of FB15k-237, so that a block processes several
// tiles of a sweep.
func compareBatches(t *testing.T, d *device.Device) {
	t.Helper()
	host := largeModel(t)
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	t.Cleanup(func() { // after the shapes
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"1p", "2p", "3c"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := compiledShape(t, name)
			i := slices.IndexFunc(shapes.ShapesDevicePlans, func(p *device.Kernels) bool { return p.Shape == c.Shape.Key })
			q, err := m.Runner(shapes.ShapesDevicePlans[i])
			require.NoError(t, err)
			compareParts(t, host, host.Settings(), q, c, drawBatch(host, c.Optimized, 256))
		})
	}
}

// largeModel returns a random model of 14,505 entities in int8, with 19 facts each.
func largeModel(t *testing.T) *runtime.Model {
	t.Helper()
	const n, relations, rank = 14505, 3, 40
	rng := rand.New(rand.NewPCG(7, 8))
	numbers := func(count int) []float32 {
		x := make([]float32, count)
		for i := range x {
			x[i] = float32(rng.NormFloat64()) / 2
		}
		return x
	}
	s := modeltest.Spec{Entities: n, Relations: relations, Rank: rank, Rows: numbers(n * 2 * rank), RelationRows: numbers(2 * relations * 2 * rank), Table: table.Int8}
	for range 19 * n {
		f := graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(relations)), Tail: graph.EntityID(rng.IntN(n))}
		s.Facts = append(s.Facts, f)
	}
	m := modeltest.New(t, s)
	t.Cleanup(func() { m.Close() })
	return runtime.NewModel(m)
}

// compareAll compares all shapes on a model, by message passing or by truth degrees. The CPU, which takes much
// longer than the GPU, compares many at a time.
func compareAll(t *testing.T, d *device.Device, host *runtime.Model, degrees bool) {
	t.Helper()
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	t.Cleanup(func() { // after the shapes
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range benchmark.Shapes {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			c := compiledShape(t, s.Name)
			i := slices.IndexFunc(shapes.ShapesDevicePlans, func(p *device.Kernels) bool { return p.Shape == c.Shape.Key })
			if degrees {
				compareTruth(t, host, m, s.Name, shapes.ShapesDevicePlans[i], []int{3, 8})
				return
			}
			q, err := m.Runner(shapes.ShapesDevicePlans[i]) // compiled ahead of time
			require.NoError(t, err)
			compareShape(t, host, q, c)
		})
	}
}
