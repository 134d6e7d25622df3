package plan

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// order returns the entities by falling x.
func order(x []float64) []int {
	list := make([]int, len(x))
	for e := range list {
		list[e] = e
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	return list
}

func widened(x Vector) []float64 {
	y := make([]float64, len(x))
	for e, v := range x {
		y[e] = float64(v)
	}
	return y
}

// TestReadAgain checks that what matters in a sweep of codes is exact: the largest scores
// and cosines, all scores of the rows that are largest in a state, to which observed links
// may have raised them, and the largest rows of a sum.
func TestReadAgain(t *testing.T) {
	for _, table := range []table.Type{"int8 float32"} {
		t.Run(string(table), func(t *testing.T) {
			const n, rank = 3000, 40
			const sure = 0.75 // the share of the rows read again that errors of codes do not change
			rng := rand.New(rand.NewPCG(4, 4))
			m := modeltest.Random(t, rng, n, rank, table)
			w := newTestWorkspace(m, 8, 3)
			w.settings = m.Manifest.Settings
			queries, exact := make([]Embedding, 2), make([][]float64, 2)
			for i := range queries {
				queries[i] = modeltest.Normals(rng, 2*rank)
				simd.Scale(queries[i], queries[i], 0.25)
				exact[i] = make([]float64, n)
				for e := range n {
					exact[i][e] = rowDot(m, e, queries[i])
				}
			}
			links := make([]Vector, 2)
			for i := range links {
				links[i] = make(Vector, n)
				for range 30 {
					links[i][rng.IntN(n)] = 1. / 30
				}
			}
			s := w.Sweep()
			first := w.putEmbedding(queries[0])
			s.Score(0, first, w.put(links[0]))
			s.Score(1, w.putEmbedding(queries[1]), w.put(links[1]))
			s.Cosine(2, first)
			s.Estimate(0, 3, 0, 1)
			a, b, cosines, estimate, g := w.Vector(0), w.Vector(1), w.Vector(2), w.Embedding(0), w.Vector(3)
			some := make(Vector, n)
			for e := range some {
				some[e] = float32(math.Exp(-float64(e%200) / 4))
			}
			s.Embed(1, w.put(some))
			sum := w.Embedding(1)
			if s.Run(); w.Err() != nil {
				t.Fatal(w.Err())
			}
			state, norms := make([]float64, n), m.Predictor.EntityNorms
			for i, x := range [][]float64{exact[0], exact[1]} {
				total := 0.0
				for _, v := range x {
					total += math.Exp(v)
				}
				for e, v := range x {
					if message := math.Exp(v)/total + float64(links[i][e]); i == 0 {
						state[e] = message
					} else {
						state[e] *= message
					}
				}
			}
			near := func(what string, e int, got float32, want float64) {
				t.Helper()
				wantNear(t, fmt.Sprintf("%s of entity %d", what, e), got, want, 1e-5)
			}
			for i, x := range []Vector{a, b} {
				for _, e := range order(exact[i])[:int(sure*rereadScore)] {
					near("score", e, x[e], exact[i][e])
				}
				for _, e := range order(state)[:int(sure*rereadState)] {
					near("score in the state", e, x[e], exact[i][e])
				}
			}
			cos := make([]float64, n)
			for e := range cos {
				if norms[e] > 0 {
					cos[e] = exact[0][e] / float64(norms[e]) / math.Sqrt(dots(queries[0], queries[0]))
				}
			}
			for _, e := range order(cos)[:int(sure*rereadScore)] {
				near("cosine", e, cosines[e], cos[e])
			}
			// The codes of rows that were not read again are as far from them as their residuals say.
			w.Correct(0, w.put(g), Estimate{0, 3})
			left := slices.Clone(g)
			for _, e := range order(widened(g))[:int(sure*rereadState)] {
				left[e] = 0
			}
			want, abs := exactSum(m, g)
			for i := range estimate {
				wantNear(t, fmt.Sprint("estimate at ", i), estimate[i], want[i], sumSlack(m, left)+2e-3*abs[i])
			}
			left = make(Vector, n)
			for e, v := range some {
				if v < some[rereadState/15-1] { // of 200 different ones with 15 rows each, these are not read again
					left[e] = v
				}
			}
			want, abs = exactSum(m, some)
			for i := range sum {
				wantNear(t, fmt.Sprint("sum at ", i), sum[i], want[i], sumSlack(m, left)+2e-3*abs[i])
			}
		})
	}
}

// TestRefusedQuery checks that a query which is too large for integers is asked of the rows.
func TestRefusedQuery(t *testing.T) {
	for _, table := range sweepTables {
		m := modeltest.Random(t, rand.New(rand.NewPCG(8, 8)), 100, 2, table)
		w := newTestWorkspace(m, 1, 1)
		q := Embedding{0, 0, 0, 2.5e38}
		s := w.Sweep()
		s.Score(0, w.putEmbedding(q))
		s.Run()
		want := make(Vector, 100)
		m.Predictor.EntityTable.DotRows(want, 0, 100, q)
		if !slices.Equal(w.Vector(0), want) {
			t.Errorf("%s: scores are not those of the rows", table)
		}
	}
}
