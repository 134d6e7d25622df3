package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// A recallWork is a sweep with results of every kind that is cached.
type recallWork struct {
	query, cosine          Embedding
	links, factor, weights Vector
}

func newRecallWork(rng *rand.Rand, n, width int) *recallWork {
	x := &recallWork{query: modeltest.Normals(rng, width), cosine: modeltest.Normals(rng, width), links: make(Vector, n)}
	simd.Scale(x.query, x.query, 0.25)
	x.factor = modeltest.Normals(rng, n)
	x.weights = modeltest.Normals(rng, n)
	for _, list := range []Vector{x.factor, x.weights} {
		for e, v := range list {
			list[e] = v * v
		}
	}
	x.links[rng.IntN(n)] = 1
	return x
}

// describe describes the sweep in a new workspace of the host, and returns where its results will be.
func (x *recallWork) describe(t *testing.T, m Host) (*Workspace, [][]float32) {
	w := newWorkspace(m, &Plan{Vectors: 3, Embeddings: 2})
	w.begin(t.Context(), nil)
	w.settings = m.Manifest.Settings
	s := w.Sweep()
	s.Score(0, w.putEmbedding(x.query), w.put(x.links))
	s.Cosine(1, w.putEmbedding(x.cosine))
	s.Estimate(0, 2, 0, w.put(x.factor))
	s.Embed(1, w.put(x.weights))
	return w, [][]float32{w.Vector(0), w.Vector(1), w.Vector(2), w.Embedding(0), w.Embedding(1)}
}

// run makes the sweep, and returns its results.
func (x *recallWork) run(t *testing.T, m Host) [][]float32 {
	w, results := x.describe(t, m)
	if w.sweep.Run(); w.Err() != nil {
		t.Fatal(w.Err())
	}
	return results
}

// known reports whether the results are cached.
func (x *recallWork) known(t *testing.T, m Host) bool {
	w, _ := x.describe(t, m)
	return w.sweep.recalled()
}

// TestRecall checks that a request that comes for the third time is served from the cache, to the bit,
// and that none of other content is.
func TestRecall(t *testing.T) {
	const n, rank = 1000, 40
	for _, dtype := range []table.Type{table.Float32, "int8 float32"} {
		t.Run(string(dtype), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			m := hostOf(modeltest.Random(t, rng, n, rank, dtype))
			x := newRecallWork(rng, n, 2*rank)
			want := x.run(t, m)
			x.run(t, m)
			if m.rows.Kept() != 0 || x.known(t, m) {
				t.Error("sweeps are cached although nobody asked for that")
			}

			m.rows.KeepSweeps(true)
			for round := range 3 {
				w, got := x.describe(t, m)
				if known := w.sweep.recalled(); known != (round == 2) {
					t.Fatalf("round %d: the results are known: %v", round, known)
				}
				if round < 2 {
					w.sweep.readTable()
				}
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("round %d: result %d differs", round, i)
					}
				}
				if coarse := w.sweep.reader.Coarse() != nil; coarse != (dtype != table.Float32) {
					t.Errorf("round %d: the results are of codes: %v", round, coarse)
				}
			}

			changes := map[string]func(x *recallWork){
				"query":   func(x *recallWork) { x.query[3]++ },
				"cosine":  func(x *recallWork) { x.cosine[3]++ },
				"factor":  func(x *recallWork) { x.factor[3]++ },
				"weights": func(x *recallWork) { x.weights[3]++ },
			}
			for what, change := range changes {
				other := &recallWork{slices.Clone(x.query), slices.Clone(x.cosine), slices.Clone(x.links), slices.Clone(x.factor), slices.Clone(x.weights)}
				change(other)
				if other.known(t, m) {
					t.Errorf("another %s has the results of the first", what)
				}
			}
			w, _ := x.describe(t, m)
			w.ranksAll = true
			if w.sweep.recalled() {
				t.Error("a ranking of all entities has results of codes")
			}

			m.rows.SetBudget(0)
			if m.rows.Kept() != 0 || x.known(t, m) {
				t.Error("sweeps are cached without a budget")
			}
		})
	}
}

// lent is the work with the vectors of a model with more entities.
func (x *recallWork) lent(rng *rand.Rand, more int) *recallWork {
	y := &recallWork{query: x.query, cosine: x.cosine, links: slices.Concat(x.links, make(Vector, more)), factor: slices.Clone(x.factor), weights: slices.Clone(x.weights)}
	for range more {
		y.factor = append(y.factor, 2*rng.Float32())
		y.weights = append(y.weights, 2*rng.Float32())
	}
	return y
}

// check compares the results of the sweep with sums and products one by one. No score among the largest is off by more than
// in a sweep of a model that has all entities and caches nothing; sums and estimates, which may be of codes, are within near.
// How many of the largest are read again from the exact table depends on the other scores, exact in the cache or not.
func (x *recallWork) check(t *testing.T, m Host, near float64) {
	t.Helper()
	got := x.run(t, m)
	plain := x.run(t, hostOf(m.Model))
	dot := func(a, b []float32) (sum float64) {
		for i, v := range a {
			sum += float64(v) * float64(b[i])
		}
		return sum
	}
	// least is a value that the largest three quarters of count reach.
	least := func(x Vector, count int) float32 {
		return slices.Sorted(slices.Values(x))[len(x)-count*3/4]
	}
	leastScore, leastCosine, leastEstimate := least(got[0], rereadScore), least(got[1], rereadScore), least(got[2], rereadState)
	width := len(x.query)
	sums := [2][]float64{make([]float64, width), make([]float64, width)}
	for e := range m.NumEntities() {
		row := m.Predictor.EntityTable.Row(graph.EntityID(e), nil)
		cosine := dot(row, x.cosine) / math.Sqrt(dot(row, row)*dot(x.cosine, x.cosine))
		large := []bool{got[0][e] >= leastScore || got[2][e] >= leastEstimate || x.links[e] > 0, got[1][e] >= leastCosine}
		for i, want := range []float64{dot(row, x.query), cosine} {
			off := math.Abs(float64(got[i][e]) - want)
			if off > 2*near || large[i] && off > 1e-5+math.Abs(float64(plain[i][e])-want) {
				t.Fatalf("column %d of %d is %v, want %v, in a sweep %v", i, e, got[i][e], want, plain[i][e])
			}
		}
		for k, weight := range []float32{got[2][e], x.weights[e]} {
			for i, v := range row {
				sums[k][i] += float64(weight) * float64(v)
			}
		}
	}
	for k, sum := range sums {
		length := 0.0
		for _, v := range sum {
			length += v * v
		}
		for i, want := range sum {
			if math.Abs(float64(got[3+k][i])-want) > (1e-5+near)*math.Sqrt(length) {
				t.Fatalf("number %d of sum %d is %v, want %v", i, k, got[3+k][i], want)
			}
		}
	}
	first := float64(got[2][0]) / (math.Exp(dot(m.Predictor.EntityTable.Row(0, nil), x.query)) * float64(x.factor[0]))
	for e := range m.NumEntities() {
		want := first * math.Exp(dot(m.Predictor.EntityTable.Row(graph.EntityID(e), nil), x.query)) * float64(x.factor[e])
		if math.Abs(float64(got[2][e])-want) > (1e-5+4*near)*want {
			t.Fatalf("the estimate of %d is %v, want %v", e, got[2][e], want)
		}
	}
}

// TestRecallChanged makes sweeps of a model, then those with other links, and those of models with more entities for a
// short time. None of these reads the table, and their results are as exact as those of a sweep.
func TestRecallChanged(t *testing.T) {
	const n, rank = 1000, 40
	for _, dtype := range []table.Type{table.Float32, "int8 float32"} {
		rng := rand.New(rand.NewPCG(seed.Of(t), 58))
		near := 1e-5
		if dtype != table.Float32 {
			near = 0.05
		}
		m := hostOf(modeltest.Random(t, rng, n, rank, dtype))
		m.rows.KeepSweeps(true)
		x := newRecallWork(rng, n, 2*rank)
		for range 2 {
			x.run(t, m)
		}
		made := sweep.Made()
		checks := int64(0)
		for range 4 {
			x.links[rng.IntN(n)] = rng.Float32()
			x.check(t, m, near)
			checks++
		}
		for round := range 8 {
			var names []string
			for i := range 1 + round%3 {
				names = append(names, fmt.Sprint("new ", i))
			}
			table := modeltest.Normals(rng, len(names)*2*rank)
			simd.Scale(table, table, 0.4)
			lent, err := m.Lent(names, table)
			require.NoError(t, err)
			y := x.lent(rng, len(names))
			y.links[n] = 1
			host := Host{lent, m.For(lent)}
			y.check(t, host, near)
			checks++
			other := y.lent(rng, 0)
			other.weights[n]++
			for range 3 {
				y.check(t, host, near)
				other.check(t, host, near)
				checks += 2
			}
			if !y.known(t, host) {
				t.Error("a sweep of a lent model is not cached")
			}
			lent.GiveBack()
		}
		if more := sweep.Made() - made; more > checks {
			t.Errorf("%s: %d sweeps of the table were made for %d checks, want one for each", dtype, more, checks)
		}

		names := []string{"far"}
		far := slices.Clone(x.query)
		simd.Scale(far, far, 1000)
		lent, err := m.Lent(names, far)
		require.NoError(t, err)
		host := Host{lent, m.For(lent)}
		if y := x.lent(rng, 1); y.known(t, host) {
			t.Error("an estimate is far too large")
		}
	}
}
