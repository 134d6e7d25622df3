package cugen_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// counter is a device that runs nothing and counts the kernels of the last recorded sequence: the nodes of a
// graph, without the copies.
type counter struct {
	cuda.Driver
	next     cuda.Pointer
	refuses  bool // to run all blocks of a launch at once
	resident int
	blocks   int // of the steps
	launches int
	deep     int             // length of the longest chain of dependent launches
	kernels  map[string]bool // of all sequences, if it is not nil
}

func (c *counter) Enter() error                                   { return nil }
func (c *counter) Multiprocessors() int                           { return 132 }
func (c *counter) Memory() (int64, error)                         { return 1 << 40, nil }
func (c *counter) Write(cuda.Pointer, []byte) error               { return nil }
func (c *counter) Free(cuda.Pointer) error                        { return nil }
func (c *counter) Load(cuda.Source) (cuda.Module, error)          { return c, nil }
func (c *counter) Unload() error                                  { return nil }
func (c *counter) Close() error                                   { return nil }
func (c *counter) Resident(cuda.Module, cuda.Launch) (int, error) { return c.resident, nil }

func (c *counter) Alloc(bytes int64) (cuda.Pointer, error) {
	c.next += cuda.Pointer(bytes)
	return c.next, nil
}

func (c *counter) Record(s cuda.Sequence) (cuda.Recording, error) {
	for _, l := range s.Launches {
		if c.kernels != nil {
			c.kernels[strings.TrimPrefix(l.Kernel, "efoc_")] = true
		}
		if l.Cooperative && c.refuses {
			return nil, errors.New("refused")
		}
		if l.Cooperative {
			c.blocks = l.Grid[0]
		}
	}
	c.launches = len(s.Launches)
	c.deep = 0
	beside := 0
	for _, l := range s.Launches {
		if l.Beside {
			beside++
			continue
		}
		if beside > 0 {
			c.deep = max(c.deep, beside)
			beside = 0
		}
		c.deep++
	}
	best := bytes.Repeat([]byte{0xff}, s.FromBytes) // entity 0, again and again
	return counted{make([]byte, s.ToBytes), best}, nil
}

type counted struct{ in, out []byte }

func (c counted) In() []byte    { return c.in }
func (c counted) Out() []byte   { return c.out }
func (c counted) Replay() error { return nil }
func (c counted) Close() error  { return nil }

// TestLaunches checks the number of kernels per query: for each layer on the path to the answer, the scores,
// the steps that compute the state, and the sum that embeds it; then the readout's scores and its steps, which
// also rank. The steps have as many blocks as the device holds at once; a device that refuses cooperative
// launches gets one launch per step.
func TestLaunches(t *testing.T) {
	want := map[string]int{"1p": 5, "2p": 8, "3p": 11, "2i": 5, "3i": 5, "2in": 5, "2u": 5, "ip": 8, "up": 8, "2m": 8, "pi": 11, "3c": 14}
	c := &counter{resident: 264}
	plan := shapes.ShapesDevicePlans
	ask := c.asker(t)
	for i, s := range benchmark.Shapes {
		got := ask(plan[i], 10)
		if n, ok := want[s.Name]; ok && got != n || got%3 != 2 {
			t.Errorf("%s takes %d kernels, want %d", s.Name, got, n)
		}
	}
	c.resident = 1
	if got := ask(plan[1], 100); got != want["2p"]+1 || c.blocks != 1 {
		t.Errorf("2p takes %d kernels, of %d blocks that the device holds at once, want %d of 1", got, c.blocks, want["2p"]+1)
	}
	refusing := &counter{resident: 264, refuses: true}
	const alone = 3 + 2 + 4 + 1 // scores, sums, steps and a ranking
	if got := refusing.asker(t)(plan[1], 10); got != alone {
		t.Errorf("2p takes %d kernels where each step is launched alone, want %d", got, alone)
	}
}

// TestSteps checks the number of steps per query: one for each product of messages, one that normalises it, and one for
// traversal. Normalising messages takes none, and a variable's only message is its state.
func TestSteps(t *testing.T) {
	want := map[string]int{"1p": 2, "2p": 4, "3p": 6, "2i": 3, "3i": 3, "2in": 3, "ip": 5, "2u": 4, "pi": 8, "3c": 11}
	for i, s := range benchmark.Shapes {
		steps := 0
		for _, l := range shapes.ShapesDevicePlans[i].Program.Launches {
			if l.Kind == device.Steps {
				steps += l.Count
			}
		}
		if n, ok := want[s.Name]; ok && steps != n {
			t.Errorf("%s takes %d steps, want %d", s.Name, steps, n)
		}
	}
}

// TestBeside checks the longest chain of dependent kernels of a mixture: truth degrees are computed concurrently with message passing.
func TestBeside(t *testing.T) {
	c := &counter{resident: 264}
	ask := c.asker(t)
	for name, want := range map[string][2]int{"1p": {10, 7}, "2p": {18, 10}, "3c": {34, 20}} {
		p, err := cugen.Plan(compiledFor(t, name, model.Mixed))
		require.NoError(t, err)
		got := [2]int{ask(p, 10), c.deep}
		if got != want {
			t.Errorf("%s takes %d kernels, of which %d wait for one another, want %v", name, got[0], got[1], want)
		}
	}
}

// TestEpsilon checks that a device refuses a threshold that drops more than the permitted error of a sum.
func TestEpsilon(t *testing.T) {
	c := &counter{resident: 264}
	q := c.runner(t, shapes.ShapesDevicePlans[0])
	b := scq.Bindings{Constants: make([]graph.EntityID, 1), Relations: make([]graph.RelationID, 1)}
	for _, x := range []struct {
		epsilon, weight float64
		refused         bool
	}{{1e-14, 0.5, false}, {3e-8, 0.5, false}, {4e-8, 0.5, true}, {1e-14, 1 - 1e-9, true}, {1e-14, 1, false}} {
		s := model.DefaultSettings()
		s.Epsilon = x.epsilon
		s.Weight = x.weight
		_, err := q.Top(t.Context(), []scq.Bindings{b}, s, 10, 0)
		if errors.Is(err, device.ErrEpsilon) != x.refused || err != nil && !x.refused {
			t.Errorf("epsilon %g and weight %g: error is %v", x.epsilon, x.weight, err)
		}
	}
}

// asker returns a function that counts the kernels per query of a plan.
func (c *counter) asker(t *testing.T) func(p *device.Kernels, k int) int {
	t.Helper()
	return func(p *device.Kernels, k int) int {
		t.Helper()
		b := scq.Bindings{Constants: make([]graph.EntityID, p.Constants), Relations: make([]graph.RelationID, p.Relations)}
		_, err := c.runner(t, p).Top(t.Context(), []scq.Bindings{b}, model.DefaultSettings(), k, 0)
		require.NoError(t, err)
		return c.launches
	}
}

// runner loads a model and binds a plan to it.
func (c *counter) runner(t *testing.T, p *device.Kernels) *device.Runner {
	t.Helper()
	d, err := device.Open(func() (cuda.Driver, error) { return c, nil }, device.Tuning{})
	require.NoError(t, err)
	m, err := d.Load(newModel(t, 3, 300, 8, table.Float32, 100).Bundle())
	require.NoError(t, err)
	q, err := m.Runner(p)
	require.NoError(t, err)
	return q
}
