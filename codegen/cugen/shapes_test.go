package cugen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/emulate"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
)

// open opens an emulated device that launches small blocks, so that little models
// take several of them.
func open(t *testing.T) (*device.Device, *emulate.Driver) {
	t.Helper()
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil },
		device.Tuning{MapThreads: 32, StepsThreads: 64, TopThreads: 32, Blocks: 3, Splits: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, driver
}

// modulePlans makes the kernels of benchmark shapes, as one module.
func modulePlans(t *testing.T, names []string) map[string]*device.Plan {
	t.Helper()
	plans := map[string]*device.Plan{}
	var text strings.Builder
	for _, name := range names {
		p, err := cugen.Plan(compiledShape(t, name))
		if err != nil {
			t.Fatal(err)
		}
		plans[name] = p
		text.WriteString(p.Text)
		p.Text = "" // in the first one's
	}
	plans[names[0]].Text = text.String()
	return plans
}

// deviceRows are the rows that a device has of tables, if not f32.
var deviceRows = map[model.TableType]string{model.BFloat16: "bf16", model.Int8: "i8", model.Int4: "i8"}

// TestShapes compares every shape under every semantics with the interpreter, on an emulated
// device: one query at a time and in batches, probabilities or degrees, fuzzy sets and
// rankings.
func TestShapes(t *testing.T) {
	var all []string
	for _, s := range lang.Shapes {
		all = append(all, s.Name)
	}
	all = append(all, "r1(f,e1)&r2(e1,f)&!r3(e1,f)&r3(f,f)") // no entity anchors it
	if testing.Short() {
		all = []string{"2p", "pni"}
	}
	for _, c := range []struct {
		n, rank int
		table   model.TableType
		alpha   float64
		cluster int // blocks of the largest clusters
		shapes  []string
	}{
		{50, 8, model.Float32, 100, 8, all},
		{50, 8, model.Float32, 100, 1, []string{"2p", "pni", "3c"}}, // as before compute capability 9.0
		{130, 70, model.Float32, 100, 16, []string{"2p"}},
		{70, 5, model.BFloat16, 20, 4, []string{"2il", "inp"}},
		// Blocks of several warps, whose threads have more than four numbers of a row.
		{50, 150, model.Float32, 100, 8, []string{"2p", "pni"}},
		{50, 150, model.BFloat16, 100, 8, []string{"2in"}},
		{70, 5, model.Int8, 100, 8, []string{"2il", "pni", "3c"}},
		{50, 150, model.Int8, 20, 8, []string{"2in", "inp"}},
		{60, 20, model.Int4, 100, 8, []string{"2p"}},
		{40, 1000, model.Float32, 100, 8, []string{"1p"}},
	} {
		t.Run(fmt.Sprint(c.table, c.rank, " ", c.cluster), func(t *testing.T) {
			d, driver := open(t)
			driver.MaxCluster = c.cluster
			driver.Rows = deviceRows[c.table]
			host := newModel(t, 3, c.n, c.rank, c.table, c.alpha)
			m, err := d.Load(host.Model)
			if err != nil {
				t.Fatal(err)
			}
			plans := modulePlans(t, c.shapes)
			for _, name := range c.shapes {
				q, err := m.Query(plans[name])
				if err != nil {
					t.Fatal(err)
				}
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

// TestBatches compares larger batches, which take several tiles of queries and more of
// entities, multiplied by warps or by warp groups, with the interpreter.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		n, rank, batch int
		table          model.TableType
		shape          string
		groups         bool
	}{
		{150, 5, 256, model.Int8, "2in", false},
		{50, 40, 64, model.Float32, "pni", true},
		{40, 150, 130, model.BFloat16, "1p", true},
		{40, 1000, 64, model.Float32, "1p", false},
	} {
		t.Run(fmt.Sprint(c.table, c.rank, "x", c.batch), func(t *testing.T) {
			if testing.Short() && c.rank == 1000 {
				t.Skip("takes seconds: runs without -short")
			}
			d, driver := open(t)
			driver.Rows, driver.WarpGroups = deviceRows[c.table], c.groups
			host := newModel(t, 3, c.n, c.rank, c.table, 100)
			m, err := d.Load(host.Model)
			if err != nil {
				t.Fatal(err)
			}
			q, err := m.Query(modulePlans(t, []string{c.shape})[c.shape])
			if err != nil {
				t.Fatal(err)
			}
			compiled := compiledShape(t, c.shape)
			compareParts(t, host, q, compiled, drawBatch(host, compiled.Plan, c.batch))
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTyped compares generated types on an emulated device, by the kernels that were
// generated with them, with the processor.
func TestTyped(t *testing.T) {
	d, driver := open(t)
	host := newModel(t, 3, 50, 8, model.Float32, 100)
	m, err := host.On(d)
	if err != nil {
		t.Fatal(err)
	}
	compareTyped(t, host, m)
	if driver.Launches == 0 {
		t.Error("the device launched nothing")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestOps compares every op with the interpreter, on an emulated device.
func TestOps(t *testing.T) {
	d, _ := open(t)
	compareOps(t, d)
}

// TestFewLaunches checks that all that is between two kernels which read the table is one
// launch.
func TestFewLaunches(t *testing.T) {
	for _, s := range lang.Shapes {
		p, err := cugen.Plan(compiledShape(t, s.Name))
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range []*device.Program{&p.Single, &p.Batch} {
			for i, l := range program.Launches[1:] {
				if l.Kind == device.Steps && program.Launches[i].Kind == device.Steps {
					t.Errorf("%s launches %s and %s, want one kernel", s.Name, program.Launches[i].Kernel, l.Kernel)
				}
			}
		}
		steps, sums, states := 0, 0, 0
		for _, l := range p.Single.Launches {
			switch l.Kind {
			case device.Steps:
				steps += l.Count
			case device.Pass:
				sums += l.Sums
			case device.Differences:
				states += l.Count
			}
		}
		t.Logf("%s: %d launches and a ranking; %d steps; %d sums of passes, %d of residuals", s.Name, len(p.Single.Launches), steps, sums, states)
	}
}
