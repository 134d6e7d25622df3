package atoms

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestBound compares bounds of the degrees of some entities in rows with the rows that sweeps make: a
// bound is never too small, and with all entities among those that it looks at, it is close.
func TestBound(t *testing.T) {
	const n, rank = 300, 40
	_, m := modeltest.Coded(t, n, rank, 0.4)
	rng := rand.New(rand.NewPCG(8, 8))
	close, news := 0, 0
	for round := range 60 {
		d := model.Degrees{Threshold: 0.003, Temperature: 0.5 + rng.Float64(), Mass: round%2 == 0, Candidates: 4, Regularities: true}.OrDefault()
		m.Manifest.ScoreTerms = []model.ScoreTerms{{}, {Frequency: 0.3}, {Frequency: 1, Loop: 0.5, Second: 1}}[round%3]
		var state drive.State
		state.Begin(context.Background(), nil)
		c := newCache(m, 0)
		var charged int64
		r := &Request{}
		r.Start(c, &state, &charged, m, &d)
		list := make([]int32, 0, n)
		for e := range int32(n) {
			if round < 20 || rng.IntN(9) == 0 {
				list = append(list, e)
			}
		}
		x := Key{H: rng.Int32N(n), R: graph.RelationID(rng.IntN(4))}
		row := fetch(t, c, r.scale, x)[0]
		tails := m.Graph.Tails(graph.EntityID(x.H), x.R)
		bounds, fresh := slices.Repeat([]float32{0.5}, len(list)), make([]int32, len(list))
		r.Bound(&fuzzy.Arena{Norm: c.Norm, N: n}, bounds, fresh, list, x)
		for i, e := range list {
			want := 0.5 * row.At(e)
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
