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

// TestAppliesFindable has documents, half of which have an author, half a reviewer that nothing else is known of, and half an
// archive that is also about a topic. A tenth of all facts are removed at random. The chances that documents have further
// facts about entities that are left add up to the number of such facts, relation by relation, and none of them is about a
// reviewer.
func TestAppliesFindable(t *testing.T) {
	const documents, topics, share = 4000, 20, 0.1
	const topic, author, reviewer, archive, relations = 0, 1, 2, 3, 4
	random := rand.New(rand.NewPCG(1, 1))
	about := func(e int) graph.Triple {
		return graph.Triple{Head: graph.EntityID(e), Relation: topic, Tail: graph.EntityID(random.IntN(topics))}
	}
	var facts []graph.Triple
	for i := range documents {
		document := topics + 3*i
		facts = append(facts, about(document))
		for r, tail := range []int{author: random.IntN(topics), reviewer: document + 1, archive: document + 2} {
			if r == topic || random.IntN(2) == 0 {
				continue
			}
			facts = append(facts, graph.Triple{Head: graph.EntityID(document), Relation: int32(r), Tail: graph.EntityID(tail)})
			if r == archive {
				facts = append(facts, about(tail))
			}
		}
	}
	s := modeltest.Spec{Entities: topics + 3*documents, Relations: relations}
	var removed []graph.Triple
	for _, f := range facts {
		if random.Float64() < share {
			removed = append(removed, f)
		} else {
			s.Facts = append(s.Facts, f)
		}
	}
	m := modeltest.New(t, s)
	defer m.Close()

	left := map[graph.EntityID]bool{}
	for _, f := range s.Facts {
		left[f.Head] = true
		left[f.Tail] = true
	}
	var expected, found [relations]float64
	for _, f := range removed {
		if left[f.Head] && left[f.Tail] {
			found[f.Relation]++
		}
	}
	for i := range documents {
		document := graph.EntityID(topics + 3*i)
		for r := range graph.RelationID(relations) {
			if left[document] && len(m.Graph.Tails(document, 2*r)) == 0 {
				expected[r] += m.Applies(document, 2*r, share)
			}
		}
	}
	for _, r := range []int{author, archive} {
		if math.Abs(expected[r]/found[r]-1) > 0.3 {
			t.Errorf("%v facts of relation %d are expected, %v are missing", expected[r], r, found[r])
		}
	}
	if expected[reviewer] != 0 || found[reviewer] != 0 {
		t.Errorf("%v facts about new entities are expected, %v are missing", expected[reviewer], found[reviewer])
	}
}
