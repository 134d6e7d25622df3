package runtime

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestLentAgain asks about a new entity of one lent model after the other, which have the same memory and other rows.
func TestLentAgain(t *testing.T) {
	const n, rank = 60, 4
	rng := rand.New(rand.NewPCG(6, 58))
	for _, table := range []table.Type{table.Float32, table.Int8} {
		m := randomModel(t, rng, n, rank, table)
		p := walk(3)
		for range 6 {
			lent, err := m.Assume(func(now *model.Model) (*model.Model, error) {
				return now.Lent([]string{"new"}, modeltest.Normals(rng, 2*rank))
			})
			require.NoError(t, err)
			r, err := newQuestion(t, lent, p, "walk").Ask(t.Context(), argsOf(n), Options{K: n + 1, NoStatus: true})
			require.NoError(t, err)
			want := walked(lent, n, 3)
			for _, a := range r.Rows {
				if w := want[a.Values[0].ID]; math.Abs(float64(a.Score)-w) > 0.02*math.Abs(w)+1e-6 {
					t.Errorf("%s, entity %d: %v, want %v", table, a.Values[0].ID, a.Score, w)
				}
			}
			lent.bundle.GiveBack()
		}
	}
}
