package train

import (
	"context"
	"math"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestEvaluate compares ranks with a count over plain scores. Some entities have
// one embedding, so that there are ties.
func TestEvaluate(t *testing.T) {
	g := randomGraph(t, 300, 4, 900)
	o := Options{Rank: 5, Batch: 50, Group: 4, Rate: 0.1, Init: 0.5, Seed: 5}
	tr, err := New(g, o, 2)
	require.NoError(t, err)
	for e := 1; e < 300; e += 3 {
		copy(tr.entities.values.row(e), tr.entities.values.row(e-1))
	}
	var facts []graph.Triple
	for r := range 3 {
		heads, tails := g.Edges(graph.RelationID(2 * r))
		for i, h := range heads {
			facts = append(facts, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(tails[i])})
		}
	}
	got, err := tr.Evaluate(t.Context(), NewTest(facts, g), nil)
	require.NoError(t, err)
	p := &plain{n: 300, entities: widen(&tr.entities), relations: widen(&tr.relations)}
	var want Metrics
	rank := func(h, r, tail int32) {
		above, score := 1.0, p.score(h, r, tail)
		for e := range int32(300) {
			if e == tail || g.Has(graph.EntityID(h), graph.RelationID(r), graph.EntityID(e)) {
				continue
			}
			switch other := p.score(h, r, e); {
			case math.Abs(other-score) < 1e-12:
				above += 0.5
			case other > score:
				above++
			}
		}
		want.Ranks++
		want.MRR += 1 / above
		for i, hits := range []*float64{&want.Hits1, &want.Hits3, &want.Hits10} {
			if above <= []float64{1, 3, 10}[i] {
				*hits++
			}
		}
	}
	for _, f := range facts {
		rank(int32(f.Head), 2*f.Relation, int32(f.Tail))
		rank(int32(f.Tail), 2*f.Relation+1, int32(f.Head))
	}
	n := float64(want.Ranks)
	for i, pair := range [][2]float64{{float64(got.Ranks), n}, {got.MRR, want.MRR / n}, {got.Hits1, want.Hits1 / n}, {got.Hits3, want.Hits3 / n}, {got.Hits10, want.Hits10 / n}} {
		if math.Abs(pair[0]-pair[1]) > 1e-4*pair[1] {
			t.Errorf("number %d is %v, want %v", i, pair[0], pair[1])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Evaluate(ctx, NewTest(facts, g), nil); err == nil {
		t.Error("no error from a cancelled evaluation")
	}
	if s := NewTest(facts, g).Sample(10, 1); s.Facts() != 10 || len(s.examples) != 20 {
		t.Errorf("a sample of %d facts, want 10", s.Facts())
	}
}

// TestBaseline compares ranks with a count over all entities; where counts mislead, ranks are by
// chance.
func TestBaseline(t *testing.T) {
	g, known := randomGraph(t, 30, 3, 120), randomGraph(t, 30, 3, 400)
	var facts []graph.Triple
	for r := range 3 {
		heads, tails := known.Edges(graph.RelationID(2 * r))
		for i, h := range heads {
			facts = append(facts, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(tails[i])})
		}
	}
	want, hits := 0.0, 0.0
	for _, f := range facts {
		for _, x := range [][3]int32{{int32(f.Head), 2 * f.Relation, int32(f.Tail)}, {int32(f.Tail), 2*f.Relation + 1, int32(f.Head)}} {
			count := func(e int32) int { return len(g.Tails(graph.EntityID(e), graph.RelationID(x[1]^1))) }
			higher, level := 0, 1
			for e := range int32(30) {
				switch {
				case e == x[2] || known.Has(graph.EntityID(x[0]), graph.RelationID(x[1]), graph.EntityID(e)):
				case count(e) > count(x[2]):
					higher++
				case count(e) == count(x[2]):
					level++
				}
			}
			for rank := higher + 1; rank <= higher+level; rank++ {
				want += 1 / float64(rank*level)
				if rank <= 10 {
					hits += 1 / float64(level)
				}
			}
		}
	}
	want /= float64(2 * len(facts))
	hits /= float64(2 * len(facts))
	got := NewTest(facts, known).Baseline(g)
	if math.Abs(got.MRR-want) > 1e-12 || math.Abs(got.Hits10-hits) > 1e-12 || got.Ranks != 2*len(facts) {
		t.Errorf("got %+v, want MRR %v and hits %v of %d ranks", got, want, hits, 2*len(facts))
	}
	// Where the counts mislead: of ten entities, all but the fact's have some.
	var others []graph.Triple
	for e := range graph.EntityID(9) {
		others = append(others, graph.Triple{Head: e, Tail: e})
	}
	g, err := graph.New(10, 1, others)
	require.NoError(t, err)
	one := []graph.Triple{{Head: 9, Tail: 9}}
	known, err = graph.New(10, 1, append(others, one...))
	require.NoError(t, err)
	if got, want := NewTest(one, known).Baseline(g).MRR, 7381.0/2520/10; math.Abs(got-want) > 1e-12 { // H(10)/10
		t.Errorf("MRR %v, want that of chance, %v", got, want)
	}
}
