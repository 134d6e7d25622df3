package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestReadoutAuto checks that moments are computed only where they pay, and then after some
// sweeps, while queries go on.
func TestReadoutAuto(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, c := range []struct {
		n    int
		pays bool
	}{{100, false}, {4000, true}} {
		r := hostOf(modeltest.Random(t, rng, c.n, 64, model.Float32)).Readouts()
		r.Prepare()
		if got := r.get() != nil; got != c.pays {
			t.Errorf("%d rows: there are moments: %v, want %v", c.n, got, c.pays)
		}
	}
	r := hostOf(modeltest.Random(t, rng, 4000, 64, model.Float32)).Readouts()
	if r.get() != nil || r.started.Load() {
		t.Error("moments are computed before the first query")
	}
	r.passed.Store(sweepsBefore(128))
	r.get()
	if !r.started.Load() {
		t.Error("moments are not computed")
	}
	r.Prepare() // waits
	if r.get() == nil {
		t.Error("moments are not used")
	}
}
