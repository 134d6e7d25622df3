package cugen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// open opens an emulated device that launches small blocks, so that small models need several.
func open(t *testing.T) (*device.Device, *emulate.Driver) {
	t.Helper()
	driver := emulate.New(t)
	return openOn(t, driver, device.Tuning{MapThreads: 32, TopThreads: 32, Blocks: 3, Splits: 2}), driver
}

func openOn(t *testing.T, driver *emulate.Driver, tuning device.Tuning) *device.Device {
	t.Helper()
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil }, tuning)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// modulePlans generates the kernels of benchmark shapes as one module.
func modulePlans(t *testing.T, names []string) map[string]*device.Kernels {
	t.Helper()
	plans := map[string]*device.Kernels{}
	var text strings.Builder
	for _, name := range names {
		p, err := cugen.Plan(compiledShape(t, name))
		require.NoError(t, err)
		plans[name] = p
		text.WriteString(p.Text)
		p.Text = "" // included in the first one's
	}
	plans[names[0]].Text = text.String()
	return plans
}

// shapesCase is a model and the shapes asked on it.
type shapesCase struct {
	n, rank int
	table   table.Type
	alpha   float64
	shapes  []string
}

// TestShapes compares each shape under every semantics with the interpreter, on an emulated device: one query
// at a time and in batches; probabilities or degrees, fuzzy sets and rankings. Long tests compare all shapes,
// on tables of all types.
func TestShapes(t *testing.T) {
	var all []string
	for _, s := range benchmark.Shapes {
		all = append(all, s.Name)
	}
	all = append(all, "r1(f,e1)&r2(e1,f)&!r3(e1,f)&r3(f,f)") // unanchored
	cases := []shapesCase{
		{50, 8, table.Float32, 100, all},
		{130, 70, table.Float32, 100, []string{"2p"}},
		{70, 5, table.Float32, 20, []string{"2il", "inp"}},
		// Blocks of several warps; each thread has more than four numbers of a row.
		{50, 150, table.Float32, 100, []string{"2p", "pni"}},
		{50, 150, table.Float32, 100, []string{"2in"}},
		{70, 5, table.Int8, 100, []string{"2il", "pni", "3c"}},
		{50, 150, table.Int8, 20, []string{"2in", "inp"}},
		{40, 1000, table.Float32, 100, []string{"1p"}},
	}
	if !long.Tests() {
		cases = []shapesCase{{50, 8, table.Float32, 100, []string{"pni"}}}
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.table, c.rank), func(t *testing.T) {
			d, driver := open(t)
			host := newModel(t, 3, c.n, c.rank, c.table, c.alpha)
			m, err := d.Load(host.Bundle())
			require.NoError(t, err)
			plans := modulePlans(t, c.shapes)
			for _, name := range c.shapes {
				q, err := m.Runner(plans[name])
				require.NoError(t, err)
				t.Run(name, func(t *testing.T) { compareShape(t, host, q, compiledShape(t, name)) })
				t.Run(name+"/degrees", func(t *testing.T) { compareTruth(t, host, m, name, plans[name], []int{3, 8, c.n}) })
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			if driver.Allocated != 0 {
				t.Errorf("%d allocations are left", driver.Allocated)
			}
		})
	}
}

// TestBatches compares larger batches, which take several tiles of queries and more of entities, with the
// interpreter.
func TestBatches(t *testing.T) {
	long.Need(t, "it compiles more shapes with g++")
	for i, c := range []struct {
		n, rank, batch int
		table          table.Type
		shape          string
	}{
		{150, 5, 256, table.Int8, "2in"},
		{50, 40, 64, table.Float32, "pni"},
		{40, 150, 130, table.Float32, "2p"},
		{40, 1000, 64, table.Float32, "1p"},
	} {
		t.Run(fmt.Sprint(c.table, c.rank, "x", c.batch), func(t *testing.T) {
			d, _ := open(t)
			host := newModel(t, uint64(3+i), c.n, c.rank, c.table, 100)
			m, err := d.Load(host.Bundle())
			require.NoError(t, err)
			messages := modulePlans(t, []string{c.shape})[c.shape]
			q, err := m.Runner(messages)
			require.NoError(t, err)
			compiled := compiledShape(t, c.shape)
			batch := drawBatch(host, compiled.Optimized, c.batch)
			compareParts(t, host, host.Settings(), q, compiled, batch)
			for _, semantics := range []model.Semantics{model.FIT, model.Mixed} {
				q, compiled := truthQuery(t, m, c.shape, semantics, messages)
				compareParts(t, host, host.Settings(), q, compiled, batch)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTyped compares generated types on an emulated device, using the generated kernels, with the CPU.
func TestTyped(t *testing.T) {
	long.Need(t, "it compiles more shapes with g++")
	d, driver := open(t)
	host := newModel(t, 3, 50, 8, table.Float32, 100)
	m, err := host.On(d)
	require.NoError(t, err)
	compareGenerated(t, host, m)
	if driver.Launches == 0 {
		t.Error("the device launched nothing")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestOps compares every op with the interpreter, on an emulated device.
func TestOps(t *testing.T) {
	long.Need(t, "it compiles more shapes with g++")
	d, _ := open(t)
	compareOps(t, d)
}
