package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestStart begins with the embeddings of a model, whose entities and relations have other numbers there:
// the metrics are the model's at once, and steps do not undo what it has learnt. A relation that it lacks
// is learnt.
func TestStart(t *testing.T) {
	g, valid := ring(t)
	old := ringRun(t, 40)
	require.NoError(t, old.Do(t.Context(), Checkpoints{}, Hooks{}))
	want, err := old.Evaluate(t.Context(), valid, nil)
	require.NoError(t, err)
	o := old.Trainer.Options()
	o.Decay = 0
	p, err := old.Predictor()
	require.NoError(t, err)

	// Entity i is the old one i+1, and the last relation is new.
	n := int32(g.NumEntities())
	e := Embeddings{Predictor: &p}
	for i := range n {
		e.Entities = append(e.Entities, (i+1)%n)
	}
	e.Relations = []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1}
	shifted := func(id int32) graph.EntityID { return graph.EntityID((id + n - 1) % n) }
	var facts, held []graph.Triple
	for r := range graph.RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		for i, h := range heads {
			if !r.IsInverse() {
				facts = append(facts, graph.Triple{Head: shifted(int32(h)), Relation: int32(r / 2), Tail: shifted(int32(tails[i]))})
			}
		}
	}
	for _, x := range valid.examples {
		if x[1]%2 == 0 {
			held = append(held, graph.Triple{Head: shifted(x[0]), Relation: x[1] / 2, Tail: shifted(x[2])})
		}
	}
	known, err := graph.New(int(n), 6, append(held, facts...))
	require.NoError(t, err)
	moved := NewTest(held, known)
	for i := range n {
		facts = append(facts, graph.Triple{Head: graph.EntityID(i), Relation: 5, Tail: graph.EntityID((i + 9) % n)})
	}
	grown, err := graph.New(int(n), 6, facts)
	require.NoError(t, err)

	o.Seed = 9
	run, err := NewRun(grown, o, Schedule{Epochs: 8, Every: 1}, moved, 2)
	require.NoError(t, err)
	require.NoError(t, run.Start(t.Context(), e))
	got, err := run.Evaluate(t.Context(), moved, nil)
	require.NoError(t, err)
	if got != want {
		t.Errorf("at the start %+v, want %+v", got, want)
	}
	if run.Trainer.Epoch() != 0 || run.done() {
		t.Errorf("the run is at epoch %d, want one that has not begun", run.Trainer.Epoch())
	}
	lowest := 1.0 // of the first steps
	require.NoError(t, run.Do(t.Context(), Checkpoints{}, Hooks{Step: func() {
		if run.Trainer.Epoch() > 0 {
			return
		}
		m, err := run.Trainer.Evaluate(t.Context(), moved, nil)
		require.NoError(t, err)
		lowest = min(lowest, m.MRR)
	}}))
	if lowest < 0.97*want.MRR {
		t.Errorf("in the first epoch the MRR falls to %v, at the start it was %v", lowest, want.MRR)
	}
	m, err := run.Evaluate(t.Context(), NewTest(facts[len(facts)-int(n):], grown), nil)
	require.NoError(t, err)
	if m.MRR < 0.9 {
		t.Errorf("the MRR of facts of the new relation is %v", m.MRR)
	}
}

// TestStartErrors gives embeddings of another rank and kind, and cancels.
func TestStartErrors(t *testing.T) {
	r := ringRun(t, 2)
	p, err := ringRun(t, 2).Predictor()
	require.NoError(t, err)
	other := p
	other.Rank = 8
	if err := r.Start(t.Context(), Embeddings{Predictor: &other}); err == nil || !strings.Contains(err.Error(), "want rank 16") {
		t.Errorf("another rank: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Start(ctx, Embeddings{Predictor: &p}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestStartSums expects the first step to be smaller than the first step of a new training, in which
// Adagrad moves each number by the rate.
func TestStartSums(t *testing.T) {
	p, err := ringRun(t, 2).Predictor()
	require.NoError(t, err)
	e := Embeddings{Predictor: &p, Relations: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for i := range int32(p.EntityTable.Rows()) {
		e.Entities = append(e.Entities, i)
	}
	run := ringRun(t, 2)
	require.NoError(t, run.Start(t.Context(), e))
	before := slices.Clone(run.Trainer.entities.values.data)
	_, err = run.Trainer.Step()
	require.NoError(t, err)

	moved := 0
	sum := 0.0
	for i, x := range run.Trainer.entities.values.data {
		if d := math.Abs(float64(x - before[i])); d > 0 {
			moved++
			sum += d
		}
	}
	rate := run.Trainer.options.Rate
	if mean := sum / float64(moved); moved == 0 || mean > 0.75*rate {
		t.Errorf("%d numbers move by %v on average, with a rate of %v", moved, mean, rate)
	}
}
