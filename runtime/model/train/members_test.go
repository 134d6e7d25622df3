package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// memberRun is a run of two members of a rank that is no multiple of the lanes.
func memberRun(t *testing.T, members int, seed uint64) *Run {
	t.Helper()
	g, valid := ring(t)
	o := ringRun(t, 6).Trainer.Options()
	o.Rank, o.Members, o.Seed = 5, members, seed
	r, err := NewRun(g, o, Schedule{Epochs: 3, Every: 1, Patience: 20}, valid, 2)
	require.NoError(t, err)
	return r
}

// scores returns the scores of all links by a predictor.
func scores(p *model.Predictor, entities, relations int) (list []float64) {
	query := make([]float32, 2*p.Rank)
	for h := range entities {
		for r := range relations {
			kernels.Project(query, p.EntityTable.Row(graph.EntityID(h), nil), p.Relation(graph.RelationID(r)), false, false)
			for t := range entities {
				sum := 0.0
				for k, x := range p.EntityTable.Row(graph.EntityID(t), nil) {
					sum += float64(query[k]) * float64(x)
				}
				list = append(list, sum)
			}
		}
	}
	return list
}

// TestMembers expects the scores of a run of two members to be the means of the scores of two runs with one each.
func TestMembers(t *testing.T) {
	g, valid := ring(t)
	var want []float64
	var single [2]Metrics
	for i := range uint64(2) {
		r := memberRun(t, 1, 7+i)
		require.NoError(t, r.Do(t.Context(), Checkpoints{}, Hooks{}))
		m, err := r.Evaluate(t.Context(), valid, nil)
		require.NoError(t, err)
		single[i] = m
		p, err := r.Predictor()
		require.NoError(t, err)
		for k, score := range scores(&p, g.NumEntities(), g.NumRelations()) {
			if i == 0 {
				want = append(want, 0)
			}
			want[k] += score / 2
		}
	}

	r := memberRun(t, 2, 7)
	ends := 0
	require.NoError(t, r.Do(t.Context(), Checkpoints{}, Hooks{Member: func() { ends++ }}))
	m, err := r.Evaluate(t.Context(), valid, nil)
	require.NoError(t, err)
	p, err := r.Predictor()
	require.NoError(t, err)
	if ends != 1 || p.Rank != 10 || r.Options().Seed != 7 || m.Ranks != single[0].Ranks {
		t.Errorf("%d members ended before the last; rank %d, seed %d, %d ranks", ends, p.Rank, r.Options().Seed, m.Ranks)
	}
	for k, got := range scores(&p, g.NumEntities(), g.NumRelations()) {
		if !(math.Abs(got-want[k]) <= 1e-5*max(1, math.Abs(want[k]))) {
			t.Fatalf("score %d is %v, want %v", k, got, want[k])
		}
	}
	if m == single[0] || m == single[1] {
		t.Errorf("the metrics %+v are those of one member", m)
	}
}

// TestMembersResume interrupts a run of two members at every step, and expects the model of one that was left alone.
func TestMembersResume(t *testing.T) {
	g, valid := ring(t)
	predicted := func(r *Run) []float64 {
		p, err := r.Predictor()
		require.NoError(t, err)
		return scores(&p, g.NumEntities(), g.NumRelations())
	}
	whole := memberRun(t, 2, 7)
	require.NoError(t, whole.Do(t.Context(), Checkpoints{}, Hooks{}))
	want := predicted(whole)

	path := filepath.Join(t.TempDir(), "run.ckpt")
	r := memberRun(t, 2, 7)
	var left []int
	for {
		ctx, cancel := context.WithCancel(t.Context())
		err := r.Do(ctx, Checkpoints{Path: path}, Hooks{Step: cancel})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		left = append(left, r.Left())
		r, err = Resume(path, g, valid, 1)
		require.NoError(t, err)
	}
	if len(left) == 0 || left[0] != 2 || left[len(left)-1] != 1 {
		t.Errorf("members left after interrupts are %v", left)
	}
	// A run that is done can be resumed: its model may not be written yet.
	r, err := Resume(path, g, valid, 1)
	require.NoError(t, err)
	if !r.done() {
		t.Error("a run whose last member ended is not done")
	}
	for k, got := range predicted(r) {
		if got != want[k] {
			t.Fatalf("score %d is %v, want %v", k, got, want[k])
		}
	}
}
