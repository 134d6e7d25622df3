package anycq

import (
	"math"
	"testing"

	"github.com/efoc/efoc/runtime"
)

// TestBalanced checks that chances keep the order of confidences and add up to half of their
// number, that all odds change by one factor, and that a known answer stays certain.
func TestBalanced(t *testing.T) {
	answers := []runtime.Row{{Confidence: 1}, {Confidence: 0.02}, {Confidence: 0.3}, {Confidence: 1e-6}}
	got := balanced(answers)
	sum := 0.0
	for _, p := range got {
		sum += float64(p)
	}
	odds := func(p float64) float64 { return p / (1 - p) }
	a, b := odds(float64(got[1]))/odds(0.02), odds(float64(got[2]))/odds(0.3)
	if math.Abs(sum-2) > 1e-3 || got[0] != 1 || !(got[2] > got[1] && got[1] > got[3]) || math.Abs(a/b-1) > 1e-2 {
		t.Errorf("chances %v add up to %v, odds change by %v and %v", got, sum, a, b)
	}
	for _, p := range balanced([]runtime.Row{{Confidence: 1}, {Confidence: 1}, {Confidence: 1}}) {
		if p != 1 {
			t.Errorf("of known answers alone one has chance %v", p)
		}
	}
}
