package eval

import (
	"math"
	"testing"
)

// TestReliability sums up a few claims by hand.
func TestReliability(t *testing.T) {
	if reliability(nil) != nil {
		t.Error("nothing has a reliability")
	}
	r := reliability([]Claim{{0.05, false}, {0.01, true}, {0.5, true}, {0.6, false}, {0.58, true}, {1, true}})
	// 0.0–0.1: 0.03 on average, ½ true; 0.5–0.6: 0.54, both true; 0.6–0.7: 0.6, false; 0.9–1: 1, true.
	want := (2*(0.5-0.03) + 2*(1-0.54) + 0.6) / 6
	if math.Abs(r.ECE-want) > 1e-12 || len(r.Bins) != 10 {
		t.Errorf("the expected calibration error of %d bins is %v, want %v", len(r.Bins), r.ECE, want)
	}
	if m := r.Middle; m.Answers != 3 || m.True != 2 || math.Abs(m.Confidence-0.56) > 1e-12 {
		t.Errorf("the middle is %+v", m)
	}
	if rows := r.table().Rows; len(rows) != 5 || rows[0][0] != "0.00 to 0.10" || rows[0][2] != "3.00" || rows[0][3] != "50.00" {
		t.Errorf("the table has rows %v", rows)
	}
}
