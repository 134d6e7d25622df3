package compiler

import (
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// TestBenchmarkPasses checks the cost of the 23 shapes at L = D+1 against the
// counts that were worked out by hand for them: 390 passes over the table for the
// layers as written, 180 once values are numbered and dead ones dropped. Sharing
// passes must bring them to half of that, and the readouts of all but the two unions need
// none for the best answers.
func TestBenchmarkPasses(t *testing.T) {
	naive, pruned, fused, best := 0, 0, 0, 0
	for _, s := range lang.Shapes {
		shape, err := BenchmarkShape(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Compile(shape, CompileOptions{Semantics: model.NSMP})
		if err != nil {
			t.Fatal(err)
		}
		after := map[string]int{}
		for _, step := range c.Steps {
			after[step.Pass.Name] = step.Passes
		}
		t.Logf("%-4s %3d -> %2d -> %d -> %d   %s", s.Name, c.Naive.Passes(), after["PruneDead"], after["FuseSweeps"], c.Plan.Passes(), shape.Key)
		naive += c.Naive.Passes()
		pruned += after["PruneDead"]
		fused += after["FuseSweeps"]
		best += c.Plan.Passes()
		if after["FuseSweeps"] != c.Plan.WholePasses() {
			t.Errorf("%s: %d passes after FuseSweeps, %d in the plan for a whole ranking", s.Name, after["FuseSweeps"], c.Plan.WholePasses())
		}
	}
	t.Logf("all  %3d -> %2d -> %d -> %d", naive, pruned, fused, best)
	if naive != 390 || pruned != 180 || fused > 90 || best != fused-21 || best > 55 {
		t.Errorf("table passes over the 23 shapes: %d as written, %d after PruneDead, %d after FuseSweeps, %d for the best answers; want 390, 180, at most 90 and at most 55",
			naive, pruned, fused, best)
	}
}
