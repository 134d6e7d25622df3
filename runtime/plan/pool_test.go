package plan

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestSweepThreads checks that results are the same to the bit for any number of processors, and while
// helpers are busy with other sweeps.
func TestSweepThreads(t *testing.T) {
	for _, table := range []table.Type{table.Float32, "int8 float32"} {
		checkThreads(t, table)
	}
}

func checkThreads(t *testing.T, table table.Type) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	var want *sweepWork
	for _, procs := range []int{1, 2, 4} {
		goruntime.GOMAXPROCS(procs)
		rng := rand.New(rand.NewPCG(5, 5))
		m := modeltest.Random(t, rng, 4001, 8, table)
		work := drawWork(rng, m, 9, 80)
		if want == nil {
			want = work
			want.run(t, m, 0)
			want.check(t, m, ofOne(m))
		}
		var wg sync.WaitGroup
		results := make([]*sweepWork, 6)
		for i := range results {
			results[i] = &sweepWork{}
			*results[i] = *work
			wg.Go(func() {
				for range 5 {
					results[i].run(t, m, 0)
				}
			})
		}
		wg.Wait()
		for _, got := range results {
			if !sameBits(got.vectors, want.vectors) || !sameBits(got.sums, want.sums) {
				t.Errorf("with %d processors, results differ from those with one", procs)
			}
		}
	}
}

func sameBits(a, b [][]float32) bool {
	return slices.EqualFunc(a, b, func(x, y []float32) bool {
		return slices.EqualFunc(x, y, func(v, w float32) bool { return math.Float32bits(v) == math.Float32bits(w) })
	})
}

// TestSweepCancelled checks that a sweep whose context has ended computes
// nothing, and that the workspace can be used again.
func TestSweepCancelled(t *testing.T) {
	m := modeltest.Random(t, rand.New(rand.NewPCG(6, 6)), 50, 3, table.Float32)
	w := newTestWorkspace(m, 1, 1)
	ctx, cancel := context.WithCancel(context.Background())
	w.begin(ctx, nil)
	q := w.putEmbedding(m.Predictor.EntityTable.Row(3, nil))
	run := func() error {
		s := w.Sweep()
		s.Score(0, q)
		s.Run()
		return w.Err()
	}
	require.NoError(t, run())
	w.Vector(0)[0] = 12345
	cancel()
	if err := run(); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if w.Vector(0)[0] != 12345 {
		t.Error("a cancelled sweep wrote its result")
	}
	w.begin(context.Background(), nil)
	if err := run(); err != nil || w.Vector(0)[0] == 12345 {
		t.Errorf("the sweep after it gives %v, error %v", w.Vector(0)[0], err)
	}
}

// TestSweepAllocs checks that sweeps and corrections allocate nothing once a
// workspace has made one.
func TestSweepAllocs(t *testing.T) {
	for _, table := range sweepTables {
		checkAllocs(t, modeltest.Random(t, rand.New(rand.NewPCG(7, 7)), 5000, 4, table))
	}
}

func checkAllocs(t *testing.T, m *model.Model) {
	w := newTestWorkspace(m, 5, 2)
	q := w.putEmbedding(modeltest.Normals(rand.New(rand.NewPCG(7, 8)), 8))
	for name, run := range map[string]func(){
		"fitting": func() {
			s := w.Sweep()
			s.Score(0, q)
			g := s.Estimate(0, 1, 0)
			s.Estimate(1, 2, 0, 3)
			s.Run()
			w.Softmax(4, 0)
			w.Correct(0, 4, g)
		},
		"anew": func() {
			s := w.Sweep()
			s.Cosine(0, q)
			g, h := s.Estimate(0, 1, 3), s.Estimate(1, 2, 3)
			s.Run()
			w.Softmax(4, 0)
			w.Correct(0, 4, g, h)
		},
	} {
		if n := testing.AllocsPerRun(50, run); n != 0 && !require.Racing {
			t.Errorf("%s, %s: %v allocations", m.Predictor.EntityTable.Type(), name, n)
		}
	}
}
