package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
)

// hostOf returns a model as plans run on it: they read codes and estimate states, as of a large table.
func hostOf(m *model.Model) Host {
	shared := NewShared(m, nil)
	shared.Use(Access{Estimates: true})
	return Host{m, shared}
}

// newTestWorkspace is a workspace outside a query.
func newTestWorkspace(m *model.Model, vectors, embeddings int) *Workspace {
	w := newWorkspace(hostOf(m), &Plan{Vectors: vectors, Embeddings: embeddings})
	w.begin(context.Background(), nil)
	return w
}

// put makes numbers a value of the workspace, putEmbedding does so with an embedding.
func (w *Workspace) put(x Vector) Vec {
	w.vectors = append(w.vectors, x)
	return Vec(len(w.vectors) - 1)
}

func (w *Workspace) putEmbedding(x Embedding) Emb {
	w.embeddings = append(w.embeddings, x)
	return Emb(len(w.embeddings) - 1)
}

// sweepWork is a random choice of what one sweep computes.
type sweepWork struct {
	queries   []Embedding // of scores
	cosines   []Embedding
	loops     []loopWork
	embeds    []Vector
	estimates [][]int // indices of scores and then of loops
	weights   [][]Vector
	vectors   []Vector    // results: scores, cosines, loops, the g of estimates
	sums      []Embedding // results: embeds, estimates
	backward  bool        // adds estimates' weights before their scores
}

// loopWork is a loop score.
type loopWork struct {
	relation graph.RelationID
	sign     graph.Sign
}

// drawWork draws up to most of everything. Scores range up to ±top.
func drawWork(rng *rand.Rand, m *model.Model, most int, top float64) *sweepWork {
	n, width := m.NumEntities(), m.Predictor.EntityTable.Width()
	k := &sweepWork{backward: rng.IntN(2) == 0}
	query := func() Embedding {
		q := modeltest.Normals(rng, width)
		switch rng.IntN(6) {
		case 0:
			clear(q)
		case 1, 2:
			largest := 0.0
			for e := range n {
				largest = max(largest, math.Abs(rowDot(m, e, q)))
			}
			for i := range q {
				q[i] *= float32(top / max(largest, 1e-3))
			}
		}
		return q
	}
	weight := func() Vector {
		x := make(Vector, n)
		for e := range x {
			if rng.IntN(3) > 0 {
				x[e] = rng.Float32()
			}
		}
		if rng.IntN(8) == 0 {
			clear(x)
		}
		return x
	}
	for range rng.IntN(most + 1) {
		k.queries = append(k.queries, query())
	}
	for range rng.IntN(most + 1) {
		k.cosines = append(k.cosines, query())
	}
	for range rng.IntN(most + 1) {
		k.loops = append(k.loops, loopWork{relation: graph.RelationID(rng.IntN(4)), sign: rng.IntN(2) == 0})
	}
	for range rng.IntN(most + 1) {
		k.embeds = append(k.embeds, weight())
	}
	for range rng.IntN(most + 1) {
		var scores []int
		var weights []Vector
		if s := len(k.queries) + len(k.loops); s > 0 {
			for range rng.IntN(4) {
				scores = append(scores, rng.IntN(s))
			}
		}
		for range rng.IntN(3) {
			weights = append(weights, weight())
		}
		if len(scores)+len(weights) == 0 {
			weights = append(weights, weight())
		}
		k.estimates, k.weights = append(k.estimates, scores), append(k.weights, weights)
	}
	return k
}

// run computes everything in one sweep of a fresh workspace, as a batch does if terms is not 0.
func (k *sweepWork) run(t testing.TB, m *model.Model, terms product.Terms) {
	t.Helper()
	w := newTestWorkspace(m, len(k.queries)+len(k.cosines)+len(k.loops)+len(k.estimates), len(k.embeds)+len(k.estimates))
	for _, x := range w.vectors { // results do not depend on what was there
		for e := range x {
			x[e] = float32(math.NaN())
		}
	}
	for _, x := range w.embeddings {
		for i := range x {
			x[i] = float32(math.NaN())
		}
	}
	k.vectors, k.sums = w.vectors, w.embeddings[:len(k.embeds)+len(k.estimates)]
	scores := func(j int) Vec { // a score, or a loop score
		if j < len(k.queries) {
			return Vec(j)
		}
		return Vec(len(k.cosines) + j)
	}
	s := w.Sweep()
	for i, q := range k.queries {
		s.Score(Vec(i), w.putEmbedding(q))
	}
	for i, q := range k.cosines {
		s.Cosine(Vec(len(k.queries)+i), w.putEmbedding(q))
	}
	for i, l := range k.loops {
		s.LoopScore(scores(len(k.queries)+i), l.relation, l.sign)
	}
	for i, x := range k.embeds {
		s.Embed(Emb(i), w.put(x))
	}
	for i, list := range k.estimates {
		var factors, weights []Vec
		for _, j := range list {
			factors = append(factors, scores(j))
		}
		for _, x := range k.weights[i] {
			weights = append(weights, w.put(x))
		}
		if k.backward {
			factors = append(weights, factors...)
		} else {
			factors = append(factors, weights...)
		}
		s.Estimate(Emb(len(k.embeds)+i), Vec(len(k.queries)+len(k.cosines)+len(k.loops)+i), factors...)
	}
	if terms != 0 {
		s.serve(&s.reader, terms)
	} else if s.Run(); w.Err() != nil {
		t.Fatal(w.Err())
	}
}

// shadow returns the g of estimate i.
func (k *sweepWork) shadow(i int) Vector {
	return k.vectors[len(k.queries)+len(k.cosines)+len(k.loops)+i]
}

// score returns what factor j of an estimate was.
func (k *sweepWork) score(j int) Vector {
	if j < len(k.queries) {
		return k.vectors[j]
	}
	return k.vectors[len(k.cosines)+j]
}

// tolerance says how far results may be from plain loops: relative to the sum of absolute products,
// and by the error that codes and integers cause in a score and in a sum.
type tolerance struct {
	relative float64
	score    func(q Embedding) func(e int) float64
	sum      func(x Vector) float64
}

// ofOne is the tolerance of a sweep of one query.
func ofOne(m *model.Model) tolerance {
	return tolerance{
		relative: 5e-6,
		score:    func(q Embedding) func(e int) float64 { return scoreSlack(m, q) },
		sum:      func(x Vector) float64 { return sumSlack(m, x) },
	}
}

// check compares the results with plain loops in float64.
func (k *sweepWork) check(t *testing.T, m *model.Model, within tolerance) {
	t.Helper()
	n, d := m.NumEntities(), m.Predictor.Rank
	buf := make([]float32, 2*d)
	var slack []func(e int) float64
	for _, q := range slices.Concat(k.queries, k.cosines) {
		slack = append(slack, within.score(q))
	}
	for e := range n {
		row := m.Predictor.EntityTable.Row(graph.EntityID(e), buf)
		size := math.Sqrt(dots(row, row))
		for i, q := range k.queries {
			wantNear(t, fmt.Sprintf("score %d of entity %d", i, e), k.vectors[i][e], dots(row, q), within.relative*absDots(row, q)+slack[i](e))
		}
		for i, q := range k.cosines {
			want, off := 0.0, within.relative
			if all := size * math.Sqrt(dots(q, q)); all > 0 {
				want, off = dots(row, q)/all, off+slack[len(k.queries)+i](e)/all
			}
			wantNear(t, fmt.Sprintf("cosine %d of entity %d", i, e), k.vectors[len(k.queries)+i][e], want, off)
		}
		for i, l := range k.loops {
			r, want, abs := m.Predictor.Relation(l.relation), 0.0, 0.0
			for j := range d {
				// ⟨r⊗z, z⟩, each number being complex, is Re(r)·|z|².
				z := float64(row[j])*float64(row[j]) + float64(row[d+j])*float64(row[d+j])
				want += float64(r[j]) * z
				abs += math.Abs(float64(r[j])) * z
			}
			if l.sign == graph.Negated {
				want = -want
			}
			wantNear(t, fmt.Sprintf("loop score %d of entity %d", i, e), k.score(len(k.queries) + i)[e], want, 2e-6*abs)
		}
	}
	for i, x := range k.embeds {
		checkSum(t, fmt.Sprint("embedding ", i), m, k.sums[i], x, within)
	}
	for i, list := range k.estimates {
		k.checkEstimate(t, m, i, list, within)
	}
}

// checkEstimate compares g with its formula, given the scores, and the sum with one over that g. Where
// scores were read again, g is by codes.
func (k *sweepWork) checkEstimate(t *testing.T, m *model.Model, i int, list []int, within tolerance) {
	t.Helper()
	n := m.NumEntities()
	logs, slack, top, size, away := make([]float64, n), make([]float64, n), math.Inf(-1), 0.0, 0.0
	for _, j := range list {
		off := func(int) float64 { return 0 }
		if j < len(k.queries) && m.Predictor.EntityTable.Type().IsFloat() {
			off = within.score(k.queries[j])
		}
		for e := range logs {
			logs[e] += float64(k.score(j)[e])
			slack[e] += off(e)
			size = max(size, math.Abs(float64(k.score(j)[e])))
		}
	}
	for e, l := range logs {
		top, away = max(top, l), max(away, slack[e])
	}
	for e, l := range logs {
		want := math.Exp(l - top)
		for _, x := range k.weights[i] {
			want *= float64(x[e])
		}
		// Exponents are sums of float32.
		relative := 1e-6 + 1e-6*size + math.Expm1(slack[e]+away)
		wantNear(t, fmt.Sprintf("estimate %d of entity %d", i, e), k.shadow(i)[e], want, relative*want+1e-36)
	}
	checkSum(t, fmt.Sprint("estimate ", i), m, k.sums[len(k.embeds)+i], k.shadow(i), within)
}

// checkSum compares dst with Σ_e x[e]·E_e.
func checkSum(t *testing.T, what string, m *model.Model, dst Embedding, x Vector, within tolerance) {
	t.Helper()
	want, abs := exactSum(m, x)
	slack := within.sum(x)
	for i := range dst {
		wantNear(t, fmt.Sprintf("%s at %d", what, i), dst[i], want[i], within.relative*abs[i]+slack+1e-34)
	}
}

// exactSum returns Σ_e x[e]·E_e and the sum of absolute values.
func exactSum(m *model.Model, x Vector) (sum, abs []float64) {
	width := m.Predictor.EntityTable.Width()
	sum, abs = make([]float64, width), make([]float64, width)
	buf := make([]float32, width)
	for e, s := range x {
		for i, v := range m.Predictor.EntityTable.Row(graph.EntityID(e), buf) {
			sum[i] += float64(s) * float64(v)
			abs[i] += math.Abs(float64(s) * float64(v))
		}
	}
	return sum, abs
}

func wantNear(t *testing.T, what string, got float32, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

func rowDot(m *model.Model, e int, q []float32) float64 {
	return dots(m.Predictor.EntityTable.Row(graph.EntityID(e), nil), q)
}

func dots(x, y []float32) float64 {
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

func absDots(x, y []float32) float64 {
	sum := 0.0
	for i := range x {
		sum += math.Abs(float64(x[i]) * float64(y[i]))
	}
	return sum
}

// sweepSizes are numbers of entities and ranks: less than a block, blocks and
// chunks with a rest.
var sweepSizes = []struct{ n, rank int }{
	{1, 1}, {1, 256}, {7, 1}, {7, 3}, {7, 16}, {300, 1}, {300, 3}, {300, 16}, {300, 256},
	{1000, 1}, {1000, 3}, {1000, 16}, {1000, 256}, {9001, 3},
}

// TestSweep compares sweeps of all kinds with plain loops.
func TestSweep(t *testing.T) {
	for _, size := range sweepSizes {
		for _, table := range sweepTables {
			t.Run(fmt.Sprintf("%dx%d/%s", size.n, size.rank, table), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(size.n), uint64(size.rank)))
				m := modeltest.Random(t, rng, size.n, size.rank, table)
				most := 9
				if size.n*size.rank > 20_000 {
					most = 5
				}
				for range long.Or(3, 1) {
					k := drawWork(rng, m, most, 80)
					k.run(t, m, 0)
					k.check(t, m, ofOne(m))
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// TestSweepRescales sums estimates whose scores grow and fall along the table, so
// that exponents are taken relative to another maximum in every block, by more
// than float32 can hold; weights are zero where the scores are largest.
func TestSweepRescales(t *testing.T) {
	const n = 9001
	rng := rand.New(rand.NewPCG(1, 1))
	// The first coordinate is the score.
	for name, at := range map[string]func(e int) float64{
		"growing":   func(e int) float64 { return -80 + 160*float64(e)/(n-1) },
		"falling":   func(e int) float64 { return 80 - 160*float64(e)/(n-1) },
		"steep":     func(e int) float64 { return -300 + 600*float64(e)/(n-1) },
		"peak":      func(e int) float64 { return 80 - math.Abs(float64(e)-4000)/10 },
		"constant":  func(int) float64 { return -500 },
		"alternate": func(e int) float64 { return 80 * float64(e%2*2-1) },
	} {
		values := modeltest.Normals(rng, n*4)
		for e := range n {
			values[4*e] = float32(at(e))
		}
		m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Rank: 2, Rows: values, RelationRows: modeltest.Normals(rng, 8)})
		tail := make(Vector, n) // zero at the first third and at the last
		for e := n / 3; e < 2*n/3; e++ {
			tail[e] = rng.Float32()
		}
		k := &sweepWork{
			queries:   []Embedding{{1, 0, 0, 0}, {-0.25, 0, 0, 0}},
			estimates: [][]int{{0}, {1}, {0, 1}, {0}, {}},
			weights:   [][]Vector{nil, nil, nil, {tail}, {tail, tail}},
		}
		t.Run(name, func(t *testing.T) {
			k.run(t, m, 0)
			k.check(t, m, ofOne(m))
		})
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
