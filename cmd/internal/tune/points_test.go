package tune

import (
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/require"
)

// TestCycles checks that L = D is tried for those benchmark shapes whose variables form a
// cycle, and for no other.
func TestCycles(t *testing.T) {
	base := model.DefaultSettings()
	for _, s := range lang.Shapes {
		shape, err := compiler.BenchmarkShape(s.Name)
		require.NoError(t, err)
		traits := traitsOf(&query.Plan{Patterns: shape.SCQs})
		layers := map[int]bool{}
		for _, p := range DefaultGrid(model.NSMP).points(model.NSMP, base, traits) {
			layers[p.Layers] = true
		}
		want := s.Name == "3c" || s.Name == "3cm"
		if layers[traits.variables] != want || !layers[0] || want && len(layers) != 2 || !want && len(layers) != 1 {
			t.Errorf("%s: tries layers %v, 0 being D+1", s.Name, layers)
		}
	}
}
