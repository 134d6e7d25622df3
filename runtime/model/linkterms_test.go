package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestLinkTerms compares terms with hand counts in a graph of five entities. Relation 0 has the facts 0→1,
// 0→2, 1→0, 3→3, relation 1 has 1→0, 2→0, the inverse of relation 0, and 4→1.
func TestLinkTerms(t *testing.T) {
	g, err := graph.New(5, 2, []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 0, Relation: 0, Tail: 2}, {Head: 1, Relation: 0, Tail: 0}, {Head: 3, Relation: 0, Tail: 3}, {Head: 1, Relation: 1, Tail: 0}, {Head: 2, Relation: 1, Tail: 0}, {Head: 4, Relation: 1, Tail: 1}})
	require.NoError(t, err)
	m := &Model{Graph: g, Manifest: Manifest{Entities: 5, Relations: 2, Regularities: g.Regularities()}}
	ln := math.Log
	// One head of three has several tails by relation 0, none of three by its inverse, which has the heads
	// 0, 1, 2 and 3.
	values, heads := ln(1.5/2.5), ln(0.5/4.5)
	// Two of the four facts of relation 0 hold the other way, 0→1 and 1→0. Of the three of relation 1, two
	// have theirs by the inverse of relation 0, and one, 1→0, by relation 0.
	for _, c := range []struct {
		h    graph.EntityID
		r    graph.RelationID
		t    graph.EntityID
		want LinkTerms
	}{
		// 0 has two tails; 3 has a head. No other link of 0 and 3 is known.
		{0, 0, 3, LinkTerms{
			TermValues: values, TermKnown: ln(3), TermSecond: values, TermHeads: heads, TermShare: ln(1.0/4 + 1e-5),
		}},
		// A loop of 4, which is neither head nor tail.
		{4, 0, 4, LinkTerms{
			TermValues: values, TermLoop: ln(1.01 / 5), TermShare: ln(1e-5),
		}},
		// 0→2 makes 2→0 likely: 2 of 4 facts, and relation 1 has it: 1 of 3 facts.
		{2, 0, 0, LinkTerms{
			TermValues: values, TermHeads: heads, TermImplied: 2.0 / 5, TermCertain: -ln(1 - 2.0/5), TermShare: ln(1.0/4 + 1e-5),
		}},
		// The head is unknown.
		{-1, 0, 3, LinkTerms{TermValues: values, TermHeads: heads, TermShare: ln(1.0/4 + 1e-5)}},
	} {
		got := m.LinkTerms(c.h, c.r, c.t)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("term %d of %d→%d is %v, want %v", i, c.h, c.t, got[i], want)
			}
		}
	}
}

// plainFacts draws facts of few relations over few entities, so that loops, symmetric facts and overlaps occur.
func plainFacts(rng *rand.Rand, n, relations, count int) []graph.Triple {
	facts := make([]graph.Triple, count)
	for i := range facts {
		facts[i] = graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: rng.Int32N(int32(relations)), Tail: graph.EntityID(rng.IntN(n))}
	}
	return facts
}

// TestMostTerms compares the bound of all links of random graphs, from which facts were removed, with the
// terms of each, by weights of either sign.
func TestMostTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	reached := 0
	for range 60 {
		n, relations := 2+rng.IntN(8), 1+rng.IntN(3)
		facts := plainFacts(rng, n, relations, 30)
		g, err := graph.New(n, relations, facts)
		require.NoError(t, err)
		add, remove := plainFacts(rng, n, relations, rng.IntN(5)), facts[:rng.IntN(5)]
		changed, _, _, err := g.With(add, remove)
		require.NoError(t, err)
		list := changed.RegularitiesAfter(g, g.Regularities(), distinct(slices.Concat(add, remove), graph.Triple.Compare))
		m := &Model{Graph: changed, Manifest: Manifest{Entities: n, Relations: relations, Regularities: list}}
		var weights LinkTerms
		for i := range weights {
			weights[i] = rng.NormFloat64()
		}
		atoms := math.Log(float64(1 + rng.IntN(3)))
		for r := range graph.RelationID(2 * relations) {
			bound, most := m.MostTerms(&weights, r, -1, atoms), math.Inf(-1)
			for h := range graph.EntityID(n + 1) {
				own := m.MostTerms(&weights, r, h-1, atoms)
				for tail := range graph.EntityID(n + 1) {
					x := m.LinkTerms(h-1, r, tail-1) // -1 is unknown
					x[TermAtoms] = atoms
					most = max(most, x.Weighed(&weights))
					if x.Weighed(&weights) > own+1e-12 {
						t.Fatalf("a link of %d from %d has %v, at most %v", r, h-1, x.Weighed(&weights), own)
					}
				}
			}
			if most > bound+1e-12 {
				t.Fatalf("a link of %d has %v, at most %v", r, most, bound)
			}
			if bound-most < 2 {
				reached++
			}
		}
	}
	if reached == 0 {
		t.Error("no bound is near what it bounds")
	}
}

// TestTurnedRound turns graphs round: heads become tails. The terms of a link of a relation and the chance that it has
// facts are those of the inverse in the other graph.
func TestTurnedRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 40 {
		n := 40 + rng.IntN(40)
		relations := 1 + rng.IntN(3)
		facts := plainFacts(rng, n, relations, 2*n)
		turned := make([]graph.Triple, len(facts))
		for i, f := range facts {
			turned[i] = graph.Triple{Head: f.Tail, Relation: f.Relation, Tail: f.Head}
		}
		var models [2]*Model
		for i, list := range [][]graph.Triple{facts, turned} {
			g, err := graph.New(n, relations, list)
			require.NoError(t, err)
			models[i] = &Model{Graph: g, Manifest: Manifest{Entities: n, Relations: relations, Regularities: g.Regularities()}, kin: &kin{}}
		}
		for range 200 {
			h := graph.EntityID(rng.IntN(n))
			r := graph.RelationID(rng.IntN(2 * relations))
			tail := graph.EntityID(rng.IntN(n))
			if a, b := models[0].LinkTerms(h, r, tail), models[1].LinkTerms(h, r.Inverse(), tail); a != b {
				t.Fatalf("a link has terms %v, turned round %v", a, b)
			}
			if a, b := models[0].Applies(h, r, 0.1), models[1].Applies(h, r.Inverse(), 0.1); a != b {
				t.Fatalf("a question applies by a chance of %v, turned round %v", a, b)
			}
		}
	}
}

// TestSharedHeads compares shares of heads with counts by sets.
func TestSharedHeads(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 50 {
		n := 1 + rng.IntN(30)
		g, err := graph.New(n, 2, plainFacts(rng, n, 2, rng.IntN(60)))
		require.NoError(t, err)
		for s := range graph.RelationID(4) {
			for r := range graph.RelationID(4) {
				all := 0.0
				both := 0.0
				for e := range graph.EntityID(n) {
					if len(g.Tails(e, s)) == 0 {
						continue
					}
					all++
					if len(g.Tails(e, r)) > 0 {
						both++
					}
				}
				if got := sharedHeads(g, s, r); got != both/max(1, all) {
					t.Fatalf("%v of the heads of %d are heads of %d, want %v of %v", got, s, r, both, all)
				}
			}
		}
	}
}

// TestSharedHeadsOfChanged compares the shares of heads of several graphs derived from one another, in turn, with those
// that are counted afresh.
func TestSharedHeadsOfChanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const n, relations = 30, 3
	g, err := graph.New(n, relations, plainFacts(rng, n, relations, 60))
	require.NoError(t, err)
	models := []*Model{{Graph: g, Manifest: Manifest{Entities: n, Relations: relations}, kin: &kin{}, core: &core{}}}
	for range 12 {
		from := models[rng.IntN(len(models))]
		next, _, err := from.With(Change{Add: plainFacts(rng, n, relations, 2), Remove: plainFacts(rng, n, relations, 9)})
		require.NoError(t, err)
		models = append(models, next)
		for range 60 {
			m := models[rng.IntN(len(models))]
			s := graph.RelationID(rng.IntN(2 * relations))
			r := graph.RelationID(rng.IntN(2 * relations))
			if got, want := m.sharedHeads(s, r), sharedHeads(m.Graph.Plain(), s, r); got != want {
				t.Fatalf("%v of the heads of %d are heads of %d, want %v", got, s, r, want)
			}
		}
	}
}
