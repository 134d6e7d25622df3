package missing

import (
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestShare searches the world for missing facts while it is taken to lack a share of its facts, and twice as many: twice as
// many facts are expected, but for those that are nearly certain. Most are of entities without a fact of the relation.
func TestShare(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	for _, name := range []string{"capital", "currency"} {
		relation, err := m.Relation(name)
		require.NoError(t, err)
		r := relation.ID()
		var confidences [3]map[graph.Triple]float64
		for i, share := range []float64{0.01, 0.02, 0.04} {
			m.Bundle().Manifest.Missing.Assumed = share
			s, err := New(m, Options{Relation: &r, K: 100, MinConfidence: 1e-6, Questions: 300})
			require.NoError(t, err)
			found, err := s.Run(t.Context())
			require.NoError(t, err)
			confidences[i] = map[graph.Triple]float64{}
			for _, f := range found.Facts {
				confidences[i][f.triple] = f.Confidence
			}
		}
		for i := range 2 {
			sum := 0.0
			twice := 0.0
			for f, p := range confidences[i] {
				sum += p
				twice += confidences[i+1][f]
			}
			if twice < 1.5*sum || twice > 2.1*sum {
				t.Errorf("%s: %v facts are expected, and %v by twice the share", name, sum, twice)
			}
		}
	}
}
