package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestNearestBounds searches for a chain and a triangle of variables within bounds on the work: what the search calls
// proved is the best of all values, and what it finds in less work is never better.
func TestNearestBounds(t *testing.T) {
	const n = 12
	g, err := graph.New(n, 4, nil)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	var degrees [8][n][n]float32 // by directed relation
	for r := range degrees {
		for h := range n {
			for e := range n {
				degrees[r][h][e] = float32(math.Pow(rng.Float64(), 4))
			}
		}
	}
	atom := func(r, head, tail int) scq.Atom {
		return scq.Atom{Relation: r, Head: scq.Var(head), Tail: scq.Var(tail)}
	}
	counts := map[bool]int{}
	for _, atoms := range [][]scq.Atom{
		{atom(0, 1, 2), atom(1, 2, 3), atom(2, 3, 0)},
		{atom(0, 1, 2), atom(1, 2, 3), atom(2, 1, 3), atom(3, 3, 0)},
	} {
		for answer := range graph.EntityID(n) {
			c := Claim{
				Model: &model.Model{Graph: g}, Disjunct: &scq.Disjunct{Variables: []string{"f", "e1", "e2", "e3"}, Atoms: atoms},
				Bindings: scq.Bindings{Relations: []graph.RelationID{0, 2, 4, 6}}, Given: []graph.EntityID{answer, None, None, None},
				Rows: func(_ context.Context, rows []Row) (list [][]float32, err error) {
					for _, r := range rows {
						list = append(list, degrees[r.Relation][r.From][:])
					}
					return list, nil
				},
			}
			best := 0.0
			for i := range n * n * n {
				values := [4]int{int(answer), i % n, i / n % n, i / n / n}
				product := 1.0
				for _, a := range atoms {
					head := a.Head.Index
					tail := a.Tail.Index
					d := degrees[2*a.Relation][values[head]][values[tail]]
					if tail == 0 { // it is read from the answer
						d = degrees[2*a.Relation+1][values[tail]][values[head]]
					}
					product *= float64(d)
				}
				best = max(best, product)
			}
			for _, most := range []bounds{{mostDegrees, mostWaiting}, {0, mostWaiting}, {20 * n, mostWaiting}, {mostDegrees, 4}, {mostDegrees, 40}} {
				w, proved, err := c.nearest(t.Context(), most)
				require.NoError(t, err)
				counts[proved]++
				if got := float64(w.Degree); got > best*(1+1e-5) || proved && got < best*(1-1e-5) || most == (bounds{mostDegrees, mostWaiting}) && !proved {
					t.Errorf("%v, entity %d, within %v: degree %v, proved %v, the best is %v", atoms, answer, most, got, proved, best)
				}
			}
		}
	}
	if counts[true] < 30 || counts[false] < 30 {
		t.Errorf("%d searches are proved, %d are not", counts[true], counts[false])
	}
}
