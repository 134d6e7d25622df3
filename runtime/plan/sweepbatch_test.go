package plan

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// batchWork is a sweep of a batch with some number of scores, cosines and sums, and a loop
// score.
func batchWork(rng *rand.Rand, m *model.Model, scores, cosines, sums int) *sweepWork {
	n, width := m.NumEntities(), m.Predictor.EntityTable.Width()
	k := &sweepWork{loops: []loopWork{{relation: 1}}}
	for range scores {
		k.queries = append(k.queries, modeltest.Normals(rng, width))
	}
	for i := range cosines {
		k.cosines = append(k.cosines, modeltest.Normals(rng, width))
		if i == 0 {
			clear(k.cosines[i])
		}
	}
	for range sums {
		x := make(Vector, n)
		for e := range x {
			x[e] = rng.Float32()
		}
		k.embeds = append(k.embeds, x)
	}
	return k
}

// integerSlack returns by how much the score of a row with q may be off where both are integers
// of 16 bits: by the rounding of the row and of the query, and by low bytes that are left out.
func integerSlack(m *model.Model, e int, row, q Embedding) float64 {
	if m.LowBytes() == nil || !product.HasIntegers() {
		return 0
	}
	scale, size := float64(m.Predictor.EntityTable.Codes().Scales[e]), 0.0
	for _, v := range q {
		size = max(size, math.Abs(float64(v)))
	}
	step, slack := size/32512, 0.0
	for l, v := range q {
		slack += math.Abs(float64(v))*scale/256 + math.Abs(float64(row[l]))*step/2 + 65*scale*step
	}
	return 1.01 * slack
}

// ofBatch is the tolerance of a sweep of a batch: the error of two terms that package product states.
func ofBatch(m *model.Model) tolerance {
	return tolerance{
		relative: 0x1p-15*(1+0x1p-7) + 2e-6,
		score: func(q Embedding) func(e int) float64 {
			return func(e int) float64 { return integerSlack(m, e, m.Predictor.EntityTable.Row(graph.EntityID(e), nil), q) }
		},
		sum: func(Vector) float64 { return 0 },
	}
}

// TestProducts compares sweeps of batches with plain loops, on every unit, and their bits between
// numbers of processors.
func TestProducts(t *testing.T) {
	best := product.Unit()
	defer func() {
		if err := product.Use(best); err != nil {
			t.Error(err)
		}
	}()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for _, unit := range product.Units() {
		require.NoError(t, product.Use(unit))
		for _, table := range sweepTables {
			for _, size := range []struct{ n, rank, scores, cosines, sums int }{
				{1, 1, 8, 0, 0}, {127, 3, 9, 3, 0}, {128, 16, 0, 0, 8}, {129, 16, 20, 1, 9}, {700, 40, 17, 17, 33}, {5000, 2, 10, 2, 10}, {1, 1, 16, 0, 0}, {127, 33, 15, 3, 0}, {128, 16, 0, 0, 16},
			} {
				if strings.Contains(string(table), " ") && max(size.scores+size.cosines, size.sums) < rows.MinCoded {
					continue // as for a single query
				}
				t.Run(fmt.Sprintf("%s/%s/%dx%d", unit, table, size.n, size.rank), func(t *testing.T) {
					var want *sweepWork
					for _, procs := range []int{1, 3} {
						goruntime.GOMAXPROCS(procs)
						rng := rand.New(rand.NewPCG(uint64(size.n), uint64(size.rank)))
						m := modeltest.Random(t, rng, size.n, size.rank, table)
						if rows.DotsPay(m) && !(rows.Wide{Model: m}).Multiplies() {
							return // as for a single query
						}
						k := batchWork(rng, m, size.scores, size.cosines, size.sums)
						for range procs {
							k.run(t, m, product.Two)
						}
						if want == nil {
							want = k
							k.check(t, m, ofBatch(m))
						}
						if !sameBits(k.vectors, want.vectors) || !sameBits(k.sums, want.sums) {
							t.Errorf("with %d processors, results differ from those with one", procs)
						}
					}
				})
			}
		}
	}
}

// TestSweepPanic has a query of a batch panic in the sweep that all make: each fails with that panic,
// and the next batch is answered as the first was.
func TestSweepPanic(t *testing.T) {
	m := hostOf(modeltest.Random(t, rand.New(rand.NewPCG(9, 8)), 4000, 4, table.Float32))
	fault := false
	x := NewExecutor(m, &Plan{Constants: 1, Vectors: 1, Run: func(w *Workspace) error {
		if row := w.vectors[0]; fault && w.Constant(0) == 0 {
			defer func() { w.vectors[0] = row }()
			w.vectors[0] = row[: len(row)/2 : len(row)/2] // no room for the rest
		}
		s := w.Sweep()
		s.Score(0, EntityEmb(0))
		s.Run()
		w.SetAnswer(0)
		return w.Err()
	}})
	run := func() (errs []error, answers [][]float32) {
		answers = make([][]float32, 5)
		errs = drive.New(m.Pool(), nil).Run(t.Context(), len(answers), func(i int, d *drive.Run) error {
			b := scq.Bindings{Constants: []graph.EntityID{graph.EntityID(i)}}
			return x.Run(t.Context(), b, model.DefaultSettings(), d, 0, true, func(w *Workspace) error {
				answers[i] = slices.Clone(w.Answer())
				return nil
			})
		})
		return errs, answers
	}
	_, want := run()
	for range 20 {
		fault = true
		errs, _ := run()
		for i, err := range errs {
			if p := (*pool.PanicError)(nil); !errors.As(err, &p) || !bytes.Contains(p.Stack, []byte("sweep.(*")) {
				t.Fatalf("query %d: error is %v, want the panic with its stack", i, err)
			}
		}
		fault = false
		if errs, got := run(); errors.Join(errs...) != nil || !sameBits(got, want) {
			t.Fatalf("the batch after it has errors %v, or other answers", errs)
		}
	}
}
