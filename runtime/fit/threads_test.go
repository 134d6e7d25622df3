package fit_test

import (
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestThreads checks that the best answers of the mixture are the same to the bit for any number of processors, on a
// table large enough for several threads.
func TestThreads(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	const rank = 128
	entities := 3 * simd.CacheSize() / (2 * rank)
	want := map[string][]runtime.Scored{}
	for _, procs := range []int{1, 2, 4} {
		goruntime.GOMAXPROCS(procs)
		_, coded := modeltest.Coded(t, entities, rank, 0.3)
		coded.Manifest.Settings = model.DefaultSettings()
		m := runtime.NewModel(coded)
		m.Use(plan.Access{Estimates: true, Bounds: true})
		rng := rand.New(rand.NewPCG(seed.Of(t), 8))
		for _, name := range []string{"1p", "2p", "2i", "pin", "3c"} {
			q, err := benchmark.Query(name)
			require.NoError(t, err)
			p := prepare(t, m, q, compiler.Options{Semantics: new(model.Mixed)})
			var args []int32
			for _, param := range q.Params {
				limit := entities
				if param.Kind == kind.Relation {
					limit = m.NumRelations()
				}
				args = append(args, rng.Int32N(int32(limit)))
			}
			for range 3 {
				got, err := p.Best(t.Context(), p.Spec().Args(args...), runtime.DefaultK, nil)
				require.NoError(t, err)
				if want[name] == nil {
					want[name] = got
				}
				same := func(a, b runtime.Scored) bool {
					return a.Entity == b.Entity && math.Float32bits(a.Score) == math.Float32bits(b.Score)
				}
				if !slices.EqualFunc(got, want[name], same) {
					t.Errorf("%s: with %d processors, the answers are %v, want %v", name, procs, got, want[name])
				}
			}
		}
	}
}
