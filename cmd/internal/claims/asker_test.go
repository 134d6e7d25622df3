package claims

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// newTestAsker returns an asker of the world, and the facts that it puts aside.
func newTestAsker(t *testing.T, o Options) *asker {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	_, aside := calibrate.HeldBack(m.Bundle())
	a, err := newAsker(m, aside, o)
	require.NoError(t, err)
	return a
}

// TestAskerQuestions draws questions of each kind: no question comes twice, and each is about facts of the graph, no facts,
// or facts put aside, in its direction.
func TestAskerQuestions(t *testing.T) {
	a := newTestAsker(t, Options{Questions: 60, Seed: seed.Of(t)})
	g := a.model.Bundle().Graph
	from := func(inverse bool) []question { return slices.Concat(a.ordinary(g, inverse), a.without(inverse)) }
	for _, inverse := range []bool{false, true} {
		known := 0
		list := from(inverse)
		for i, q := range list {
			if len(g.Tails(q.head, q.r)) > 0 {
				known++
			}
			if q.r.IsInverse() != inverse || slices.Contains(list[:i], q) {
				t.Errorf("inverse %t: question %+v comes twice, or in the other direction", inverse, q)
			}
		}
		if without := len(list) - known; known < 20 || known > 60 || without < 20 || without > 60 {
			t.Errorf("inverse %t: %d questions have known answers, %d have none", inverse, known, without)
		}
	}
	list := a.heldOut()
	for _, q := range list {
		if !slices.ContainsFunc(a.aside, func(f graph.Triple) bool { return graph.TripleOf(q.head, q.r, f.Tail) == f }) {
			t.Errorf("no fact put aside answers %+v", q)
		}
	}
	facts := a.facts()
	for _, q := range facts {
		head := graph.EntityID(q.Args[0])
		r := graph.RelationID(q.Args[1])
		all := slices.Sorted(slices.Values(slices.Concat(q.Easy, q.Hard)))
		if !slices.Equal(q.Easy, g.Tails(head, r)) || !slices.Equal(all, a.full.Tails(head, r)) || len(all) == 0 {
			t.Errorf("question %v has answers %v and %v", q.Args, q.Easy, q.Hard)
		}
	}
	if len(list) != 60 || len(facts) < 60 || len(facts) > 120 {
		t.Errorf("there are %d held-out questions, and %d of facts", len(list), len(facts))
	}
}

// TestAskerClaims compares claims with the answers to one question at a time: each semantics claims of the ten best answers
// that are not known what it says of them, and those are true that the facts put aside have.
func TestAskerClaims(t *testing.T) {
	for _, s := range model.AllSemantics {
		a := newTestAsker(t, Options{Questions: 6, Semantics: &s, Seed: seed.Of(t)})
		g := a.model.Bundle().Graph
		list := slices.Concat(a.ordinary(a.full, false), a.without(true), a.heldOut())
		for _, heldOut := range []float64{0, 0.1} {
			claims, err := a.ask(t.Context(), kind{questions: list, heldOut: heldOut})
			require.NoError(t, err)
			at := 0
			for _, q := range list {
				replies, err := a.model.Links(t.Context(), []runtime.LinkQuestion{{Head: q.head, Relation: q.r}}, runtime.LinkOptions{
					Options: runtime.Options{K: 10 + len(g.Tails(q.head, q.r)), HeldOut: heldOut}, Semantics: &s,
				})
				require.NoError(t, err)
				rows := slices.DeleteFunc(replies[0].Rows, func(x runtime.Row) bool { return g.Has(q.head, q.r, x.Values[0].ID) })
				for _, row := range rows[:10] {
					c := claims[at]
					at++
					heads, tails := g.Edges(q.r)
					loop := row.Values[0].ID == q.head
					several := 0
					for i, h := range heads {
						loop = loop && h != tails[i]
						if i > 0 && h == heads[i-1] && (i == 1 || h != heads[i-2]) {
							several++
						}
					}
					different := len(slices.Compact(slices.Clone(heads)))
					second := len(g.Tails(q.head, q.r)) > 0 && 100*several <= different
					holds := slices.Contains(a.aside, graph.TripleOf(q.head, q.r, row.Values[0].ID))
					if d := c.Confidence - row.Confidence; c.True != holds || c.loop != loop || c.second != second || d > 1e-3 || d < -1e-3 {
						t.Errorf("%s: of %+v it claims %+v, want %v and true: %t, a loop: %t, a second value: %t", s, q, c, row.Confidence, holds, loop, second)
					}
				}
			}
			if at != len(claims) {
				t.Errorf("%s: there are %d claims, want %d", s, len(claims), at)
			}
		}
	}
}
