package pass_test

import (
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/lang"
)

// TestWriteOutReadout checks that the plans of all shapes are what they were before their
// readout was deferred.
func TestWriteOutReadout(t *testing.T) {
	deferred := 0
	for _, s := range lang.Shapes {
		shape, err := compiler.BenchmarkShape(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := lower.NSMP(shape, 0)
		if err != nil {
			t.Fatal(err)
		}
		passes := pass.Default()
		if err := pass.Run(p, passes[:len(passes)-1], nil); err != nil {
			t.Fatal(err)
		}
		want, whole := p.String(), p.Passes()
		if err := pass.Run(p, passes[len(passes)-1:], nil); err != nil {
			t.Fatal(err)
		}
		if p.Answer.Op == ir.Readout {
			deferred++
			if p.Passes() != whole-1 || p.WholePasses() != whole {
				t.Errorf("%s: %d passes, %d for the whole answer, want one less than %d", s.Name, p.Passes(), p.WholePasses(), whole)
			}
		}
		if err := pass.Run(p, []pass.Pass{pass.WriteOutReadout}, nil); err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != want {
			t.Errorf("%s: the plan is\n%s\nwant\n%s", s.Name, got, want)
		}
	}
	if deferred != len(lang.Shapes)-2 {
		t.Errorf("the readouts of %d shapes are deferred, want all but the two unions'", deferred)
	}
}
