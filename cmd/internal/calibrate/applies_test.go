package calibrate

import (
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestApplies compares the chances that an entity has facts of a relation, where the world shows none, with the facts
// that were held out at random: in sum, and where the chance is above one half.
func TestApplies(t *testing.T) {
	m, facts := heldBack(t)
	visible := m.Graph
	hidden := m.Heldout
	share, err := Share(visible, facts)
	require.NoError(t, err)
	var sum, likely [2]float64 // expected and true
	for r := range graph.RelationID(visible.NumRelations()) {
		for e := range graph.EntityID(visible.NumEntities()) {
			if len(visible.Tails(e, r)) > 0 {
				continue
			}
			p := m.Applies(e, r, share)
			is := 0.0
			if len(hidden.Tails(e, r)) > 0 {
				is = 1
			}
			sum[0] += p
			sum[1] += is
			if p >= 0.5 {
				likely[0] += p
				likely[1] += is
			}
		}
	}
	t.Logf("%.1f expected, %v true; of chances above one half %.1f and %v", sum[0], sum[1], likely[0], likely[1])
	if sum[0] < 0.7*sum[1] || sum[0] > 1.4*sum[1] {
		t.Errorf("%.1f questions are expected to have an answer, and %v have", sum[0], sum[1])
	}
	if likely[1] < 100 || likely[0] < 0.8*likely[1] || likely[0] > 1.2*likely[1] {
		t.Errorf("where that is likely, %.1f are expected to have an answer, and %v have", likely[0], likely[1])
	}
}
