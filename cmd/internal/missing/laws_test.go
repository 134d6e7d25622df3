package missing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestSpreadHeads asks for heads one after the other: each comes once, and the first fifty are spread over all, so that they
// leave out no fifth of the list.
func TestSpreadHeads(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 67))
	for range 50 {
		n := 500 + rng.IntN(2000)
		s := &Search{}
		for e := range graph.EntityID(n) {
			s.heads = append(s.heads, e)
		}
		all := slices.Collect(s.spread())
		if !slices.Equal(slices.Sorted(slices.Values(all)), s.heads) {
			t.Fatalf("%d of %d heads are yielded, some twice", len(all), n)
		}
		last := 0
		for _, e := range append(slices.Sorted(slices.Values(all[:50])), graph.EntityID(n)) {
			if int(e)-last > n/5 {
				t.Errorf("of %d heads the first ones leave out %d to %d", n, last, e)
			}
			last = int(e)
		}
	}
}

// TestSpread takes some of a list at even distances, all of a short one, and stops early.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 68))
	for range 200 {
		n := rng.IntN(40)
		most := 1 + rng.IntN(20)
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(i)
		}
		got := slices.Collect(spread(list, most))
		if len(got) != min(n, most) {
			t.Fatalf("%d of %d are %v", most, n, got)
		}
		for i, x := range got { // the middle of the ith of len(got) parts
			if at := (float64(i) + 0.5) * float64(n) / float64(len(got)); float64(x) > at || float64(x) <= at-1 {
				t.Errorf("%d of %d are %v", most, n, got)
			}
		}
		for range spread(list, most) {
			break
		}
	}
}

// TestWitness lists all facts that a graph lacks, more of each question than are asked for at first. With each are those facts
// of the graph that lead from head to tail, and tails of the head that was asked about.
func TestWitness(t *testing.T) {
	m := random(t, 66, 1)
	g := m.Bundle().Graph
	s, err := New(m, Options{K: 100_000, MinConfidence: 1e-7})
	require.NoError(t, err)
	r, err := s.Run(t.Context())
	require.NoError(t, err)
	if lacking := 66*66 - g.NumTriples(); len(r.Facts) != lacking {
		t.Errorf("%d facts are listed, the graph lacks %d", len(r.Facts), lacking)
	}
	between := 0
	for _, f := range r.Facts {
		var want, got []graph.Triple
		for relation := range graph.RelationID(m.NumRelations()) {
			if g.Has(f.triple.Head, relation, f.triple.Tail) {
				want = append(want, graph.TripleOf(f.triple.Head, relation, f.triple.Tail))
				between++
			}
		}
		tails := g.Tails(f.asked.Head, f.asked.Relation)
		for _, tail := range tails[:min(3, len(tails))] {
			want = append(want, graph.TripleOf(f.asked.Head, f.asked.Relation, graph.EntityID(tail)))
		}
		for _, x := range f.Witness {
			relation, err := m.Relation(x.Relation)
			require.NoError(t, err)
			got = append(got, graph.TripleOf(x.Head.ID, relation.ID(), x.Tail.ID))
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %+v the facts %v are listed, want %v", f.triple, got, want)
		}
	}
	if between == 0 {
		t.Error("no head and tail have a fact")
	}
}

// TestRequest resolves the names of a request.
func TestRequest(t *testing.T) {
	m := random(t, 12, 3)
	q := Request{Relation: m.RelationName(3), Entity: m.Bundle().EntityName(5), K: 7, MinConfidence: 0.5, Questions: 9}
	o, err := q.Options(m)
	require.NoError(t, err)
	if o.Head == nil || *o.Head != 5 || o.Relation == nil || *o.Relation != 3 || o.K != 7 || o.MinConfidence != 0.5 || o.Questions != 9 {
		t.Errorf("%+v becomes %+v", q, o)
	}
}
