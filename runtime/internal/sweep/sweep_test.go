package sweep

import (
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

func normals(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * rng.NormFloat64())
	}
	return x
}

// TestExponentials compares exponentials, of few columns and many, with plain loops, and their bits
// between numbers of threads. Some are bounded.
func TestExponentials(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	const n, rank = 3000, 16
	for _, dtype := range []table.Type{table.Float32, table.Int8} {
		for _, count := range []int{1, 5, 30} {
			var want []float32
			for _, procs := range []int{1, 3} {
				goruntime.GOMAXPROCS(procs)
				rng := rand.New(rand.NewPCG(uint64(count), 3))
				m := modeltest.New(t, modeltest.Spec{
					Entities: n, Relations: 1, Rank: rank, Rows: normals(rng, n*2*rank, 0.5), RelationRows: normals(rng, 4*rank, 1), Table: dtype, Exact: table.Float32,
				})
				queries, results := make([][]float32, count), make([]float32, count*n)
				for i := range queries {
					queries[i] = normals(rng, 2*rank, 0.5)
				}
				var p Sweep
				for range procs {
					r := p.Begin()
					r.Terms = product.Three
					for i, q := range queries {
						x := results[i*n : (i+1)*n]
						r.Columns = append(r.Columns, rows.Column{Dst: x, Query: q, Wide: true})
						r.Exponentials = append(r.Exponentials, Exponential{X: x, Bounded: i%2 == 0})
					}
					p.Run(rows.Wide{Model: m}, m.Pool())
				}
				for i, q := range queries {
					e, sum, top := p.Exponentials[i], 0.0, math.Inf(-1)
					for at, got := range e.X {
						score := 0.0
						for l, v := range m.Predictor.EntityTable.Row(graph.EntityID(at), nil) {
							score += float64(v) * float64(q[l])
						}
						top, sum = max(top, score), sum+float64(got)
						if want := math.Exp(score - float64(e.Top)); math.Abs(float64(got)-want) > 2e-3*want {
							t.Fatalf("%s, %d columns: exponential %d of %d is %v, want %v", dtype, count, i, at, got, want)
						}
					}
					if e.Bounded {
						top = 0
					}
					if math.Abs(e.Sum-sum) > 1e-6*sum || math.Abs(float64(e.Top)-top) > 2e-3 {
						t.Errorf("%s, %d columns: sum %v and top %v, want %v and %v", dtype, count, e.Sum, e.Top, sum, top)
					}
				}
				if want == nil {
					want = results
				}
				if !slices.Equal(results, want) {
					t.Errorf("%s, %d columns: %d threads give other numbers than one", dtype, count, procs)
				}
				m.Close()
			}
		}
	}
}
