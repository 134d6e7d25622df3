package pass_test

import (
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/require"
)

// TestSplitDegrees checks that no truth degrees are kept at binding, because the runtime keeps their rows.
// Message-passing values of fixed slots are still kept, even in mixtures.
func TestSplitDegrees(t *testing.T) {
	q, err := benchmark.Query("2p")
	require.NoError(t, err)
	shape := stages.Analyze(q).Shape()
	fixed := pass.Fixed{Constants: []bool{true}, Relations: []bool{true, true}}
	degrees := lower.FIT(shape)
	if bind, answer := pass.Split(degrees, fixed); bind != nil || answer != degrees {
		t.Errorf("truth degrees are split into\n%s\nand\n%s", bind, answer)
	}
	mixed, _, err := lower.Mixed(shape, 0)
	require.NoError(t, err)
	bind, answer := pass.Split(mixed, fixed)
	if bind == nil {
		t.Fatal("nothing is kept of message passing")
	}
	for _, p := range []*ir.Plan{bind, answer} {
		if err := p.Verify(); err != nil {
			t.Errorf("%v:\n%s", err, p)
		}
	}
	for _, v := range bind.Values {
		if v.Op >= ir.Row {
			t.Errorf("binding computes truth degrees:\n%s", bind)
			break
		}
	}
	if count := answer.Count(); count[ir.Row] != 1 || count[ir.Rows] != 1 || count[ir.Mixture] != 1 || count[ir.Score] != 0 {
		t.Errorf("each answer computes\n%s", answer)
	}
}
