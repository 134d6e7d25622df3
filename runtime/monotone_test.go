package runtime_test

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestMonotone asks random questions r(h, y). Of two of the best answers whose ends both have facts of r, or of two answers to a question
// without known ones, the one with no less evidence, margin and weight of the graph's evidence is no less likely.
func TestMonotone(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	g := m.Bundle().Graph
	rng := rand.New(rand.NewPCG(seed.Of(t), 2))
	var questions []runtime.LinkQuestion
	for range 200 {
		questions = append(questions, runtime.LinkQuestion{Head: graph.EntityID(rng.IntN(m.NumEntities())), Relation: graph.RelationID(rng.IntN(m.NumRelations()))})
	}
	for _, s := range model.AllSemantics {
		answers, err := m.Links(t.Context(), questions, runtime.LinkOptions{Options: runtime.Options{K: 10}, Semantics: &s})
		require.NoError(t, err)
		compared := 0
		for lacking := range 2 {
			var rows []*runtime.Row
			for i, q := range questions {
				for k := range answers[i].Rows {
					row := &answers[i].Rows[k]
					linked := len(g.Tails(row.Values[0].ID, q.Relation.Inverse())) > 0
					if lacks := len(g.Tails(q.Head, q.Relation)) == 0; row.Confidence > 1e-6 && row.Status != runtime.Known && linked && lacks == (lacking == 1) {
						rows = append(rows, row)
					}
				}
			}
			for range 50_000 {
				a := rows[rng.IntN(len(rows))]
				b := rows[rng.IntN(len(rows))]
				if a.Basis.Evidence < b.Basis.Evidence || a.Basis.Margin < b.Basis.Margin || a.Basis.Offset+a.Basis.Graph < b.Basis.Offset+b.Basis.Graph {
					continue
				}
				compared++
				if a.Confidence/a.Basis.Applies < b.Confidence/b.Basis.Applies-1e-9 {
					t.Fatalf("%s: %v with %+v is less likely than %v with %+v", s, a.Confidence, *a.Basis, b.Confidence, *b.Basis)
				}
			}
		}
		if compared < 1000 {
			t.Errorf("%s: only %d pairs of answers are comparable", s, compared)
		}
	}
}
