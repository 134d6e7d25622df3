package cugen_test

import (
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/kernels/cuda/offline"
)

// TestCompiled checks, without a compiler, that the committed code was compiled from the
// kernels and headers as they are.
func TestCompiled(t *testing.T) {
	var stale []string
	for pattern, archive := range map[string]string{"../shapes/*.cu": "../shapes/shapes_compiled.tar.zst", "../../kernels/cuda/fit/*.cu": "../../kernels/cuda/fit/fit_compiled.tar.zst"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no kernels (%v)", pattern, err)
		}
		for _, path := range paths {
			current, err := offline.Current(archive, path)
			if err != nil {
				t.Error(err)
			}
			if !current {
				stale = append(stale, path)
			}
		}
	}
	if err := offline.Stale(stale); err != nil {
		t.Error(err)
	}
}
