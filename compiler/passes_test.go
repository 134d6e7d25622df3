package compiler

import (
	"testing"

	"github.com/efoc/efoc/lang"
)

// TestBenchmarkPasses checks the cost of the 23 shapes at L = D+1 against the
// counts that were worked out by hand for them: 390 passes over the table for the
// layers as written, 180 once values are numbered and dead ones dropped.
func TestBenchmarkPasses(t *testing.T) {
	naive, optimised := 0, 0
	for _, s := range lang.Shapes {
		shape, err := BenchmarkShape(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Compile(shape, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-4s %3d -> %2d   %s", s.Name, c.Naive.Passes(), c.Plan.Passes(), shape.Key)
		naive += c.Naive.Passes()
		optimised += c.Plan.Passes()
	}
	if naive != 390 || optimised != 180 {
		t.Errorf("table passes over the 23 shapes: %d as written, %d optimised; want 390 and 180", naive, optimised)
	}
}
