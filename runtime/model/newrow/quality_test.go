package newrow

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/train"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// Of the models that TestQuality trains.
const rank, epochs = 64, 12

// TestQuality holds out 5% of the entities of FB15k-237, adds them with half of their facts to a model
// trained without them, and asks for the other half from either end. It compares the filtered MRR with
// a model trained in the same way on the facts that were given.
func TestQuality(t *testing.T) {
	long.Need(t, "it trains two models on FB15k-237, a quarter of an hour")
	const least = 0.7
	s := fb15k(t, 0.05)
	m := fit(t, s.known, s.relations, s.without)
	full := fit(t, s.n, s.relations, slices.Concat(s.without, s.given)).Predictor
	// Held-out entities whose facts are all with one another have none left.
	of := make([][]fact, s.n-s.known)
	for _, f := range s.given {
		r := graph.RelationID(2 * f.Relation)
		if int(f.Head) >= s.known {
			of[int(f.Head)-s.known] = append(of[int(f.Head)-s.known], fact{r, f.Tail})
		} else {
			of[int(f.Tail)-s.known] = append(of[int(f.Tail)-s.known], fact{r.Inverse(), f.Head})
		}
	}
	small := m.Predictor
	rows := slices.Clone(small.EntityTable.Float32s())
	solver, start := newSolver(m), time.Now()
	for _, facts := range of {
		rows = append(rows, solver.rowFor(facts)...)
	}
	each := time.Since(start) / time.Duration(len(of))
	var err error
	small.EntityTable, err = table.Make(rows, small.EntityTable.Width(), table.Float32, "")
	require.NoError(t, err)
	asked := s.asked[:min(len(s.asked), 5000)]
	got, want := s.mrr(asked, &small), s.mrr(asked, &full)
	t.Logf("%d new entities, %d facts given, %d asked for, rank %d, %d epochs, %v a row (%s)", len(of), len(s.given), len(asked), rank, epochs, each, simd.Engine())
	t.Logf("MRR of answers that the new entities ask for: %.4f, fully trained %.4f: %.0f%%", got[0], want[0], 100*got[0]/want[0])
	t.Logf("MRR of new entities as answers: %.4f, fully trained %.4f: %.0f%%", got[1], want[1], 100*got[1]/want[1])
	both := (got[0] + got[1]) / (want[0] + want[1])
	t.Logf("MRR of both: %.4f, fully trained %.4f: %.0f%%", (got[0]+got[1])/2, (want[0]+want[1])/2, 100*both)
	if both < least || got[0] < least*want[0] || got[1] < least*want[1] {
		t.Errorf("want %.0f%% at least", 100*least)
	}
}

// fit trains a model.
func fit(t *testing.T, n, relations int, facts []graph.Triple) *model.Model {
	t.Helper()
	g, err := graph.New(n, relations, facts)
	require.NoError(t, err)
	o := train.DefaultOptions()
	o.Rank, o.Negatives, o.Decay = rank, 2500, 0.25
	run, err := train.NewRun(g, o, train.Schedule{Epochs: epochs, Every: 1}, nil, 2)
	require.NoError(t, err)
	require.NoError(t, run.Do(context.Background(), train.Checkpoints{}, train.Hooks{}))
	p, err := run.Predictor()
	require.NoError(t, err)
	m, err := model.New(model.Manifest{Settings: model.DefaultSettings()}, g, nil, p, names.Numbered("entity", n), names.Numbered("relation", relations))
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close() })
	return m
}
