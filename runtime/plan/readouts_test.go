package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestReadouts checks that moments are computed after some sweeps, while queries go on.
func TestReadouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	r := hostOf(modeltest.Random(t, rng, 4000, 64, table.Float32)).Readouts()
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
