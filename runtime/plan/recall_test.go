package plan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
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
				"links":   func(x *recallWork) { x.links[3]++ },
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
