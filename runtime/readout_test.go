package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// readoutWorld is a model with rows of many sizes, some zeros and some equal, and a plan that
// reads a state and an embedding out.
type readoutWorld struct {
	model     *Model
	state     plan.Vector
	embedding plan.Embedding
	query     *Question
}

func newReadoutWorld(t *testing.T, rng *rand.Rand, n, rank int) *readoutWorld {
	t.Helper()
	x := &readoutWorld{state: make(plan.Vector, n), embedding: make(plan.Embedding, 2*rank)}
	x.model = randomModel(t, rng, n, rank, table.Float32)
	p := &x.model.bundle.Predictor
	values := slices.Clone(p.EntityTable.Float32s())
	for e := range n {
		row := values[e*2*rank : (e+1)*2*rank]
		switch rng.IntN(8) {
		case 0:
			copy(row, values[:2*rank])
		case 1:
			scale := float32(math.Pow(10, 3*rng.Float64()-2))
			for i := range row {
				row[i] *= scale
			}
		}
	}
	var err error
	p.EntityTable, err = table.Make(values, 2*rank, table.Float32, "")
	require.NoError(t, err)
	for e := range p.EntityNorms {
		p.EntityNorms[e] = float32(length(p.EntityTable.Row(graph.EntityID(e), nil)))
	}
	x.bind(t)
	return x
}

// bind binds the plan to the model.
func (x *readoutWorld) bind(t *testing.T) {
	t.Helper()
	made := withPattern(plan.Plan{
		ABI: plan.ABI, Semantics: model.NSMP, Vectors: 2, Embeddings: 1,
		Run: func(w *plan.Workspace) error {
			copy(w.Vector(0), x.state)
			copy(w.Embedding(0), x.embedding)
			w.SetAnswer(w.Readout(1, 0, 0))
			return w.Err()
		},
	}, scq.Atom{Head: scq.Const(0), Tail: scq.Var(0)})
	var err error
	x.query, err = x.model.Bind(byslot.Spec("", made, nil))
	require.NoError(t, err)
}

// lend returns the world with new entities, among them some like others and one of zeros, for a short time.
func (x *readoutWorld) lend(t *testing.T, rng *rand.Rand) *readoutWorld {
	t.Helper()
	var names []string
	var rows []float32
	for i := range 1 + rng.IntN(3) {
		names = append(names, fmt.Sprint("new ", i))
		row := x.model.bundle.Predictor.EntityTable.Row(graph.EntityID(rng.IntN(len(x.state))), nil)
		scale := []float32{0, 1, -1, 3}[rng.IntN(4)]
		for _, v := range row {
			rows = append(rows, scale*v)
		}
	}
	lent, err := x.model.Assume(func(now *model.Model) (*model.Model, error) { return now.Lent(names, rows) })
	require.NoError(t, err)
	y := &readoutWorld{model: lent, state: make(plan.Vector, len(x.state)+len(names)), embedding: make(plan.Embedding, len(x.embedding))}
	y.bind(t)
	return y
}

func length(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// draw fills the state, with some share of it spread over few entities, and the embedding, a sum of
// rows.
func (x *readoutWorld) draw(rng *rand.Rand) {
	n := len(x.state)
	clear(x.state)
	few := 1 + rng.IntN(min(n, 30))
	for range few {
		v := float32(rng.ExpFloat64())
		if rng.IntN(3) == 0 {
			v = 1 // a tie
		}
		x.state[rng.IntN(n)] = v / float32(few)
	}
	switch rng.IntN(6) {
	case 0:
		clear(x.state)
	case 1:
		for e := range x.state {
			x.state[e] += float32(rng.Float64()) * 1e-4
		}
	case 2:
		for e := range x.state {
			x.state[e] *= 1e-30
		}
	}
	clear(x.embedding)
	for e, s := range x.state {
		for i, v := range x.model.bundle.Predictor.EntityTable.Row(graph.EntityID(e), nil) {
			x.embedding[i] += s * v
		}
	}
	switch rng.IntN(8) {
	case 0:
		clear(x.embedding)
	case 1:
		for i := range x.embedding {
			x.embedding[i] *= 1e25
		}
	}
}

// probabilities returns the probabilities of all entities by plain loops in float64.
func (x *readoutWorld) probabilities(lambda float64) []float64 {
	p := make([]float64, len(x.state))
	sum := 0.0
	for e := range p {
		row := x.model.bundle.Predictor.EntityTable.Row(graph.EntityID(e), nil)
		cosine := 0.0
		if d := length(row) * length(x.embedding); d > 0 {
			for i, v := range row {
				cosine += float64(v) * float64(x.embedding[i]) / d
			}
		}
		p[e] = math.Exp(cosine)
		sum += p[e]
	}
	for e := range p {
		p[e] = lambda*float64(x.state[e]) + (1-lambda)*p[e]/sum
	}
	return p
}

// TestReadout compares the best answers with plain loops, where bounds decide and where they do not,
// on models, states and embeddings of all sizes, and for all λ.
func TestReadout(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	decided := map[bool]int64{}
	lent := int64(0)
	for range 60 {
		x := newReadoutWorld(t, rng, 2+rng.IntN(1500), 1+rng.IntN(40))
		x.model.Use(plan.Access{Estimates: true, Bounds: true})
		for range 6 {
			x.draw(rng)
			s := model.DefaultSettings()
			s.Lambda = []float64{0, 1e-3, 0.1, 0.3, 0.9, 1, rng.Float64()}[rng.IntN(7)]
			k := 1 + rng.IntN(min(12, len(x.state)+1))
			x.check(t, s, k)
		}
		yes, no := x.model.Readouts().Counts()
		decided[true], decided[false] = decided[true]+yes, decided[false]+no
		for range 3 {
			y := x.lend(t, rng)
			before, _ := y.model.Readouts().Counts()
			y.draw(rng)
			k := 1 + rng.IntN(min(12, len(y.state)))
			if rng.IntN(2) == 0 { // a new entity is the k-th best by its cosine alone
				y.state[len(y.state)-1] = slices.Sorted(slices.Values(y.state))[len(y.state)-k]
				copy(y.embedding, y.model.bundle.Predictor.EntityTable.Row(graph.EntityID(len(y.state)-1), nil))
			}
			y.check(t, model.DefaultSettings(), k)
			after, _ := y.model.Readouts().Counts()
			lent += after - before
			y.model.bundle.GiveBack()
		}
	}
	if lent < 20 {
		t.Errorf("bounds decided %d readouts of lent models, want many", lent)
	}
	t.Logf("%d of %d readouts were decided by bounds", decided[true], decided[true]+decided[false])
	if decided[true] < 40 || decided[false] < 40 {
		t.Errorf("bounds decided %d readouts and not %d, want many of both", decided[true], decided[false])
	}
}

// check compares the k best answers with plain loops.
func (x *readoutWorld) check(t *testing.T, s model.Settings, k int) {
	t.Helper()
	b := argsOf(0)
	got, err := x.query.Ask(t.Context(), b, Options{K: k, Settings: &s, NoStatus: true})
	require.NoError(t, err)
	want := x.probabilities(s.Lambda)
	order := slices.Clone(want)
	slices.Sort(order)
	slices.Reverse(order)
	near := func(a, b float64) bool {
		return math.Abs(a-b) <= 1e-4*b && b >= 1e-8 || b < 1e-8 && math.Abs(a-b) <= 1e-9
	}
	if len(got.Rows) != min(k, len(want)) {
		t.Fatalf("there are %d answers, want %d", len(got.Rows), min(k, len(want)))
	}
	seen := map[graph.EntityID]bool{}
	for i, a := range got.Rows {
		if p := want[a.Values[0].ID]; seen[a.Values[0].ID] || !near(float64(a.Score), p) || !near(p, order[i]) {
			t.Fatalf("λ %v: answer %d of %d is %d with %g, want %g; the probability is %g", s.Lambda, i, k, a.Values[0].ID, a.Score, order[i], p)
		}
		seen[a.Values[0].ID] = true
		if i > 0 {
			before := got.Rows[i-1]
			if before.Score < a.Score || before.Score == a.Score && before.Values[0].ID > a.Values[0].ID {
				t.Fatalf("λ %v: answer %d stands before %d", s.Lambda, before.Values[0].ID, a.Values[0].ID)
			}
		}
	}
}
