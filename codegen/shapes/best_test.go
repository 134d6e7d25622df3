package shapes

import (
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// bindShape binds a plan as a question whose parameters are its slots, and draws values for them.
func bindShape(t *testing.T, rng *rand.Rand, m *runtime.Model, p *plan.Plan) (*runtime.Question, runtime.Args) {
	t.Helper()
	q, err := m.Bind(byslot.Spec("", p, nil))
	require.NoError(t, err)
	return q, randomArgs(rng, m, p)
}

// TestBest checks that Best returns the entities and scores of Ask in the same order, and allocates nothing.
func TestBest(t *testing.T) {
	m, err := plantest.NewModel(9, 100, 5, 8, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may drop the workspace
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range Plans() {
		q, args := bindShape(t, rng, m, p)
		const k = 10
		reply, err := q.Ask(t.Context(), args, runtime.Options{K: k, NoStatus: true})
		require.NoError(t, err)
		dst := make([]runtime.Scored, 0, k)
		best, err := q.Best(t.Context(), args, k, dst)
		require.NoError(t, err)
		if len(best) != k || &best[0] != &dst[:1][0] {
			t.Fatalf("%s %s: got %d answers in memory %p, want %d in %p", p.Shape, p.Semantics, len(best), best, k, dst)
		}
		for i, row := range reply.Rows {
			off := math.Abs(float64(best[i].Score - row.Score))
			if best[i].Entity != row.Values[0].ID || off > 1e-5*float64(row.Score) {
				t.Errorf("%s %s: answer %d is %v, want entity %d with score %v", p.Shape, p.Semantics, i, best[i], row.Values[0].ID, row.Score)
			}
		}
		n := testing.AllocsPerRun(5, func() {
			_, err := q.Best(t.Context(), args, k, dst)
			require.NoError(t, err)
		})
		if n > 0 {
			t.Errorf("%s %s: Best makes %v allocations", p.Shape, p.Semantics, n)
		}
	}
}

// TestBestErrors checks the refusals of Best.
func TestBestErrors(t *testing.T) {
	m, err := plantest.NewModel(9, 100, 5, 8, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	q, args := bindShape(t, rand.New(rand.NewPCG(5, 6)), m, Plans()[0])
	_, err = q.Best(t.Context(), args, 0, nil)
	if want := "option K: want a positive number of answers, not 0"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = q.Best(t.Context(), args[1:], 1, nil)
	if want := "there are 2 parameters, got 1 values"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	best, err := q.Best(t.Context(), args, 1000, nil)
	require.NoError(t, err)
	if len(best) != 100 {
		t.Errorf("of 100 entities, the 1000 best are %d", len(best))
	}
}
