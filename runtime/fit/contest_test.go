package fit

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
)

// TestBound compares bounds of the degrees of some entities in rows with the rows that passes make: a
// bound is never too small, and with all entities among those that it looks at, it is close.
func TestBound(t *testing.T) {
	const n, rank = 300, 40
	_, m := coded(t, n, rank, 0.4)
	rng := rand.New(rand.NewPCG(8, 8))
	close, news := 0, 0
	for round := range 60 {
		d := model.Degrees{Threshold: 0.003, Temperature: 0.5 + rng.Float64(), Mass: round%2 == 0, Candidates: 4, Regularities: true}.OrDefault()
		m.Manifest.ScoreTerms = []model.ScoreTerms{{}, {Frequency: 0.3}, {Frequency: 1, Loop: 0.5, Second: 1}}[round%3]
		var state drive.State
		state.Begin(context.Background(), nil)
		machine := NewMachine(newRows(m, 0), &state)
		machine.Start(m, d, Want{})
		list := make([]int32, 0, n)
		for e := range int32(n) {
			if round < 20 || rng.IntN(9) == 0 {
				list = append(list, e)
			}
		}
		x := key{h: rng.Int32N(n), r: model.RelationID(rng.IntN(4))}
		row := fetch(t, newRows(m, 0), machine.request.scale, x)[0]
		tails := m.Graph.Tails(model.EntityID(x.h), x.r)
		bounds, fresh := slices.Repeat([]float32{0.5}, len(list)), make([]int32, len(list))
		machine.request.bound(&machine.arena, bounds, fresh, list, x)
		for i, e := range list {
			want := 0.5 * row.at(e)
			_, observed := slices.BinarySearch(tails, e)
			switch {
			case observed != (fresh[i] == 0):
				t.Errorf("the link of %v to %d is news: %v", x, e, fresh[i])
			case bounds[i] < want:
				t.Errorf("the degree of %d in row %v is at most %v, but is %v", e, x, bounds[i], want)
			case len(list) == n && !observed && bounds[i] > 1.02*max(want, 0.5*float32(d.Threshold)):
				t.Errorf("the degree of %d in row %v is at most %v, which is far from %v", e, x, bounds[i], want)
			}
			if !observed && want > 0 {
				news++
				if bounds[i] < 2*want {
					close++
				}
			}
		}
	}
	if news == 0 || 2*close < news {
		t.Errorf("%d of %d bounds are close", close, news)
	}
}

// TestObserved compares the rows of observed links of few and of many candidates with the graph.
func TestObserved(t *testing.T) {
	const n = 300
	_, m := coded(t, n, 40, 0.4)
	rng := rand.New(rand.NewPCG(9, 9))
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(newRows(m, 0), &state)
	for round := range 40 {
		machine.Start(m, model.Degrees{Negation: 0.5}, Want{})
		top := &Candidates{}
		for _, e := range rng.Perm(n)[:1+rng.IntN([]int{3, n}[round%2])] {
			top.ids = append(top.ids, int32(e))
		}
		b := &RowSet{top: top, relation: model.RelationID(rng.IntN(4)), negated: round%4 > 1}
		machine.observed(b)
		for i, h := range top.ids {
			for e := range int32(n) {
				want := float32(0)
				if m.Graph.Has(model.EntityID(h), b.relation, model.EntityID(e)) {
					want = 1
				}
				if b.negated {
					want = negate(want, 0.5)
				}
				if got := b.each[i].at(e); got != want {
					t.Fatalf("%d candidates, negated %v: the link of %d to %d by %d has degree %v, want %v", len(top.ids), b.negated, h, e, b.relation, got, want)
				}
			}
		}
	}
}
