package claims

import (
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// TestNewKind sums up claims that are counted by hand: of the false ones, 0.4 for a second value and 0.125
// for a loop; the Brier score is (0.04 + 0.16 + 0.015625 + 0.36)/4 = 0.1439, that of the share of true ones
// 0.25.
func TestNewKind(t *testing.T) {
	got := newKind("ordinary", 2, []claim{
		{Claim: eval.Claim{Confidence: 0.8, True: true}, second: true},
		{Claim: eval.Claim{Confidence: 0.4}, second: true},
		{Claim: eval.Claim{Confidence: 0.125}, loop: true},
		{Claim: eval.Claim{Confidence: 0.4, True: true}, loop: true},
	})
	ece := got.ECE // of bins, which package eval tests
	want := Kind{
		Name: "ordinary", Questions: 2, Expected: 1.725, True: 2, Likely: 1, LikelyTrue: 1, Second: 0.4, Loops: 0.125,
		AUC: 0.875, Skill: 1 - 0.14390625/0.25, ECE: ece,
	}
	for name, x := range map[string][2]float64{
		"expected": {got.Expected, want.Expected}, "second values": {got.Second, want.Second}, "loops": {got.Loops, want.Loops},
		"AUC": {got.AUC, want.AUC}, "skill": {got.Skill, want.Skill},
	} {
		if d := x[0] - x[1]; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s is %v, want %v", name, x[0], x[1])
		}
	}
	if got.True != want.True || got.Likely != want.Likely || got.LikelyTrue != want.LikelyTrue || got.Questions != want.Questions {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestReportFound counts true claims of two likely tenths by hand: of 7 + 9, 9 are claimed at 50% or more. The other tenth
// has a share of 6/9.
func TestReportFound(t *testing.T) {
	r := Report{Bins: []eval.Bin{{From: 0.3, Answers: 10, True: 7}, {From: 0.5, Answers: 9, True: 6}, {From: 0.6, Answers: 10, True: 9}, {From: 0.9}}}
	if share, of := r.found(); share != 9./16 || of != 16 {
		t.Errorf("%v of %d likely true claims are found, want 9/16 of 16", share, of)
	}
	r = Report{Bins: []eval.Bin{{Answers: 10, True: 1}}}
	if share, of := r.found(); share != 0 || of != 0 {
		t.Errorf("%v of %d likely true claims are found where none is likely", share, of)
	}
}
