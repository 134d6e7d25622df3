package cugen

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/interp"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/emulate"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
)

// open opens an emulated device that launches small blocks, so that little models
// take several of them.
func open(t *testing.T) (*device.Device, *emulate.Driver) {
	t.Helper()
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil },
		device.Tuning{MapThreads: 32, TopThreads: 32, Blocks: 3, Splits: 2})
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
		p, err := Plan(compiled(t, name))
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

func compiled(t *testing.T, name string) *compiler.Compiled {
	t.Helper()
	shape, err := compiler.BenchmarkShape(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Compile(shape, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestShapes compares every shape with the interpreter, on an emulated device: one
// query at a time and in batches, probabilities, fuzzy sets and rankings.
func TestShapes(t *testing.T) {
	var all []string
	for _, s := range lang.Shapes {
		all = append(all, s.Name)
	}
	if testing.Short() {
		all = []string{"2p", "pni"}
	}
	for _, c := range []struct {
		n, rank int
		table   runtime.TableType
		alpha   float64
		shapes  []string
	}{
		{50, 8, runtime.Float32, 100, all},
		{70, 5, runtime.BFloat16, 20, []string{"2il", "inp"}},
	} {
		t.Run(string(c.table), func(t *testing.T) {
			d, driver := open(t)
			driver.HalfTables = c.table == runtime.BFloat16
			host := newModel(t, 3, c.n, c.rank, c.table, c.alpha)
			m, err := d.Load(host)
			if err != nil {
				t.Fatal(err)
			}
			plans := modulePlans(t, c.shapes)
			for _, name := range c.shapes {
				q, err := m.Query(plans[name])
				if err != nil {
					t.Fatal(err)
				}
				t.Run(name, func(t *testing.T) { compareShape(t, host, q, compiled(t, name)) })
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

func newModel(t *testing.T, seed uint64, n, rank int, table runtime.TableType, alpha float64) *runtime.Model {
	t.Helper()
	s := runtime.DefaultSettings()
	s.Alpha = alpha
	m, err := plantest.NewModel(seed, n, 3, rank, s)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Predictor
	p.EntityNorms = nil
	if p.EntityTable, err = runtime.NewTable(m.Predictor.EntityTable.Float32s(), 2*rank, table); err != nil {
		t.Fatal(err)
	}
	m, err = runtime.NewModel(m.Manifest, m.Graph, nil, p, m.Entities, m.Relations)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// compareShape compares random queries of a shape.
func compareShape(t *testing.T, host *runtime.Model, q *device.Query, c *compiler.Compiled) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var batch []runtime.Bindings
	for range 3 {
		var b runtime.Bindings
		for range c.Plan.Constants {
			b.Constants = append(b.Constants, runtime.EntityID(rng.IntN(host.NumEntities())))
		}
		for range c.Plan.Relations {
			b.Relations = append(b.Relations, runtime.RelationID(rng.IntN(host.NumRelations())))
		}
		batch = append(batch, b)
	}
	settings := host.Manifest.Settings
	for _, part := range [][]runtime.Bindings{batch[:1], batch[1:2], batch} {
		rankings, err := q.Top(context.Background(), part, settings, 5, 3)
		if err != nil {
			t.Fatal(err)
		}
		err = q.Scores(context.Background(), part, settings, func(i int, answer runtime.Vector, sets []runtime.Vector) error {
			want, err := interp.Run(context.Background(), c.Naive, host, settings, part[i])
			if err != nil {
				return err
			}
			near(t, "answer", answer, want.Answer)
			sameRanking(t, rankings[i].Answer, runtime.Rank(answer, 5))
			for j, set := range sets {
				near(t, "set", set, want.Sets[j])
				sameRanking(t, rankings[i].Sets[j], runtime.Rank(set, 3))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// near checks the tolerance of the semantics: 1e-4 relative from 1e-8 on, 1e-9
// absolute below that.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for e, w := range want {
		tolerance := 1e-9
		if w >= 1e-8 {
			tolerance = 1e-4 * float64(w)
		}
		if !(math.Abs(float64(got[e])-float64(w)) <= tolerance) {
			t.Errorf("%s of entity %d is %g, want %g", what, e, got[e], w)
			return
		}
	}
}

func sameRanking(t *testing.T, got, want []runtime.Ranked) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("ranking is %v, want %v", got, want)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("ranking is %v, want %v", got, want)
			return
		}
	}
}
