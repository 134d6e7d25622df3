package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestShare removes a share of all facts at random, most of which are the only one of an entity. Share returns it,
// whether the facts about entities that are lost are known to be missing or not.
func TestShare(t *testing.T) {
	const documents, words, share = 5000, 30, 0.2
	rng := rand.New(rand.NewPCG(3, 4))
	var facts, removed, findable []graph.Triple
	for i := range documents {
		document := graph.EntityID(words + 3*i)
		for _, tail := range []graph.EntityID{graph.EntityID(i % words), document + 1, document + 2} {
			f := graph.Triple{Head: document, Tail: tail}
			switch {
			case rng.Float64() >= share:
				facts = append(facts, f)
			case tail < words:
				removed = append(removed, f)
				findable = append(findable, f)
			default:
				removed = append(removed, f)
			}
		}
	}
	g, err := graph.New(words+3*documents, 1, facts)
	require.NoError(t, err)
	for _, lacking := range [][]graph.Triple{removed, findable} {
		got, err := Share(g, lacking)
		require.NoError(t, err)
		if math.Abs(got-share) > 0.025 { // over four standard deviations
			t.Errorf("of %d facts, %d are missing: a share of %v, want %v", documents*3, len(lacking), got, share)
		}
	}
}
