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

// TestWriteOutReadout checks on the plans of all shapes that it undoes DeferReadout.
func TestWriteOutReadout(t *testing.T) {
	deferred := 0
	for _, s := range benchmark.Shapes {
		q, err := benchmark.Query(s.Name)
		require.NoError(t, err)
		shape := stages.Analyze(q).Shape()
		p, _, err := lower.NSMP(shape, 0)
		require.NoError(t, err)
		passes := pass.Default()
		require.NoError(t, pass.Run(p, passes[:len(passes)-1], nil))
		want, whole := p.String(), p.Sweeps()
		require.NoError(t, pass.Run(p, passes[len(passes)-1:], nil))
		if p.Answer.Op == ir.Readout {
			deferred++
			if p.Sweeps() != whole-1 || p.WholeSweeps() != whole {
				t.Errorf("%s: %d sweeps, %d for the whole answer, want one less than %d", s.Name, p.Sweeps(), p.WholeSweeps(), whole)
			}
		}
		require.NoError(t, pass.Run(p, []pass.Pass{pass.WriteOutReadout}, nil))
		if got := p.String(); got != want {
			t.Errorf("%s: the plan is\n%s\nwant\n%s", s.Name, got, want)
		}
	}
	if deferred != len(benchmark.Shapes)-2 {
		t.Errorf("the readouts of %d shapes are deferred, want all but the two unions'", deferred)
	}
}
