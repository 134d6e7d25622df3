package plan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestWorkspaceEntity reads the embeddings of the constants of several queries: the embeddings of one
// query are valid together.
func TestWorkspaceEntity(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for _, dtype := range []table.Type{table.Float32, table.Int8} {
		m := modeltest.Random(t, rng, 5, 2, dtype)
		w := newWorkspace(hostOf(m), &Plan{Constants: 2, Embeddings: 1})
		queries := [][]graph.EntityID{{0, 1}, {1, 0}, {3, 3}, {3, 4}, {2, 3}}
		check := func(e graph.EntityID, got Embedding) {
			t.Helper()
			if want := m.Predictor.EntityTable.Row(e, nil); !slices.Equal(got, want) {
				t.Errorf("%s: embedding of %d is %v, want %v", dtype, e, got, want)
			}
		}
		for _, constants := range queries {
			w.bindings.Constants = constants
			x, y := w.Embedding(EntityEmb(0)), w.Embedding(EntityEmb(1))
			check(constants[0], x)
			check(constants[1], y)
		}
		turn := 0
		allocs := testing.AllocsPerRun(10, func() {
			turn++
			w.bindings.Constants = queries[turn%len(queries)]
			w.Embedding(EntityEmb(1))
			w.Embedding(EntityEmb(0))
		})
		if allocs != 0 && !require.Racing {
			t.Errorf("%s: %v allocations", dtype, allocs)
		}
	}
}
