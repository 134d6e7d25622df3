package difftest

import (
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/testdata/require"
)

// TestRegress repeats the numbered cases, which once differed, on all kernels of this machine.
func TestRegress(t *testing.T) {
	files, err := numbered()
	require.NoError(t, err)
	if len(files) == 0 {
		t.Fatalf("there are no cases in %s", folder)
	}
	qs, err := newQuestions()
	require.NoError(t, err)
	defer qs.model.Close()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := readCase(file)
			require.NoError(t, err)
			if got := c.World.fingerprint(); got != c.Fingerprint {
				t.Fatalf("the world is drawn in another way than when the case was kept: fingerprint %d, want %d", got, c.Fingerprint)
			}
			for _, c.Kernels = range simd.Engines() {
				what, err := c.onKernels(qs)
				require.NoError(t, err)
				if what != "" {
					t.Errorf("%s kernels: %s\nfound: %s", c.Kernels, what, c.Note)
				}
			}
		})
	}
}
