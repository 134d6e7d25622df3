package stages

import (
	"testing"

	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/require"
)

// TestShapeName checks that the compiler derives the keys in the table of benchmark shapes.
func TestShapeName(t *testing.T) {
	for _, s := range benchmark.Shapes {
		q, err := benchmark.Query(s.Name)
		require.NoError(t, err)
		shape := Analyze(q).Shape()
		if shape.Key != s.Key || ShapeName(shape.Key) != s.Name {
			t.Errorf("%s has the key %q, the table %q", s.Name, shape.Key, s.Key)
		}
	}
}
