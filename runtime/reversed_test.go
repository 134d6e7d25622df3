package runtime_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// swapped returns a list with what belongs to each relation and to its inverse exchanged: width numbers for each.
func swapped[T any](list []T, width int) (other []T) {
	for i := 0; i < len(list); i += 2 * width {
		other = append(other, list[i+width:i+2*width]...)
		other = append(other, list[i:i+width]...)
	}
	return other
}

// reversed returns a calibrated model with every fact and relation turned round: r(t, h) where m has r(h, t).
func reversed(t *testing.T, m *runtime.Model) *runtime.Model {
	t.Helper()
	b := m.Bundle()
	var facts []graph.Triple
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := b.Graph.Edges(r)
		for i, h := range heads {
			facts = append(facts, graph.Triple{Head: graph.EntityID(tails[i]), Relation: int32(r / 2), Tail: graph.EntityID(h)})
		}
	}
	g, err := graph.New(b.NumEntities(), m.NumRelations()/2, facts)
	require.NoError(t, err)
	manifest := b.Manifest
	manifest.Temperatures = swapped(manifest.Temperatures, 1)
	manifest.Heldout = 0
	manifest.Confidence = model.Confidence{}
	for name, of := range b.Manifest.Confidence {
		c := *of
		for _, x := range []*model.Claims{&c.Ordinary, &c.HeldOut, &c.Lacking} {
			x.Offsets = swapped(x.Offsets, 1)
		}
		manifest.Confidence[name] = &c
	}
	p := b.Predictor
	p.RelationTable = swapped(p.RelationTable, len(p.RelationTable)/m.NumRelations())
	turned, err := model.New(manifest, g, nil, p, b.Entities, b.Relations)
	require.NoError(t, err)
	return runtime.NewModel(turned)
}

// TestReversed asks random questions of a graph, and of the graph turned round from the other end: what is judged does not
// depend on which end of a relation is called its head.
func TestReversed(t *testing.T) {
	m := calibrated(t)
	other := reversed(t, m)
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	var questions, turned []runtime.LinkQuestion
	for range 300 {
		q := runtime.LinkQuestion{Head: graph.EntityID(rng.IntN(m.NumEntities())), Relation: graph.RelationID(rng.IntN(m.NumRelations()))}
		if heads, _ := m.Bundle().Graph.Edges(q.Relation); rng.IntN(2) == 0 {
			q.Head = graph.EntityID(heads[rng.IntN(len(heads))])
		}
		questions = append(questions, q)
		q.Relation = q.Relation.Inverse()
		turned = append(turned, q)
	}
	for _, s := range model.AllSemantics {
		for _, heldOut := range []float64{0, 0.1} {
			o := runtime.LinkOptions{Options: runtime.Options{K: 15, HeldOut: heldOut, Filter: runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed}}, Semantics: &s}
			want, err := m.Links(t.Context(), questions, o)
			require.NoError(t, err)
			got, err := other.Links(t.Context(), turned, o)
			require.NoError(t, err)
			for i := range want {
				for k := range want[i].Rows { // both graphs lack the same facts, but only one knows the facts held back
					want[i].Rows[k].Status = runtime.Predicted
				}
				if !slices.EqualFunc(got[i].Rows, want[i].Rows, func(a, b runtime.Row) bool { return alikeRows(&a, &b) }) {
					t.Fatalf("%s, %v held out, %+v: the graph turned round has %+v, want %+v", s, heldOut, questions[i], got[i].Rows, want[i].Rows)
				}
			}
		}
	}
}
