package ref_test

import (
	"testing"

	"github.com/efoc/efoc/kernels/ref/reftest"
)

// TestSweep checks that the sweep, and its tolerances, hold for package ref.
func TestSweep(t *testing.T) { reftest.Sweep(t, reftest.Ref) }
