package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestApplies has 200 people who each know another, of whom 120 work somewhere, and 100 firms, which own one another
// and work nowhere. By hand: with a tenth of the facts missing, 120/200/.9 = ⅔ of all people work, 1/15 of all have
// lost that fact and 1/3 do not work. So 1/6 of those who seem not to work do; the share is estimated by a sample.
func TestApplies(t *testing.T) {
	const people, working, firms = 200, 120, 100
	s := modeltest.Spec{Entities: people + firms, Relations: 3, Rank: 2}
	s.Rows = make([]float32, s.Entities*2*s.Rank)
	s.RelationRows = make([]float32, 2*s.Relations*2*s.Rank)
	for e := range people {
		s.Facts = append(s.Facts, graph.Triple{Head: graph.EntityID(e), Relation: 0, Tail: graph.EntityID((e + 7) % people)})
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, e := range random.Perm(people)[:working] {
		s.Facts = append(s.Facts, graph.Triple{Head: graph.EntityID(e), Relation: 1, Tail: graph.EntityID(people + e%firms)})
	}
	for e := range firms {
		s.Facts = append(s.Facts, graph.Triple{Head: graph.EntityID(people + e), Relation: 2, Tail: graph.EntityID(people + (e+1)%firms)})
	}
	m := modeltest.New(t, s)
	defer m.Close()
	for e := range graph.EntityID(people + firms) {
		if len(m.Graph.Tails(e, 2)) > 0 {
			continue
		}
		got := m.Applies(e, 2, 0.1)
		if e < people && math.Abs(got-1./6) > 0.07 || e >= people && got != 0 {
			t.Errorf("%d works with a chance of %v, want 1/6 for people and 0 for firms", e, got)
		}
	}
}
