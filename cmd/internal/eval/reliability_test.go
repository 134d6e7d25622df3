package eval

import (
	"math"
	"testing"
)

// TestReliability sums up a few claims by hand.
func TestReliability(t *testing.T) {
	if NewReliability(nil) != nil {
		t.Error("nothing has a reliability")
	}
	r := NewReliability([]Claim{{0.05, false}, {0.01, true}, {0.5, true}, {0.6, false}, {0.58, true}, {1, true}})
	// 0.0–0.1: 0.03 on average, ½ true; 0.5–0.6: 0.54, both true; 0.6–0.7: 0.6, false; 0.9–1: 1, true.
	want := (2*(0.5-0.03) + 2*(1-0.54) + 0.6) / 6
	if math.Abs(r.ECE-want) > 1e-12 || len(r.Bins) != 10 {
		t.Errorf("the expected calibration error of %d bins is %v, want %v", len(r.Bins), r.ECE, want)
	}
	// In 4 of 4 · 2 pairs the true answer has more confidence: 0.01 in none, 0.5 and 0.58 against
	// 0.05 alone, and 1 against both 0.05 and 0.6.
	brier := (0.05*0.05 + 0.99*0.99 + 0.25 + 0.36 + 0.42*0.42) / 6
	if want := 1 - brier/(4./6*2/6); math.Abs(r.AUC-4./8) > 1e-12 || math.Abs(r.Skill-want) > 1e-12 || math.Abs(r.Brier-brier) > 1e-12 {
		t.Errorf("AUC %v, want 0.5; skill %v, want %v", r.AUC, r.Skill, want)
	}
	if r := NewReliability([]Claim{{0.5, true}, {0.5, false}, {0.5, false}}); math.Abs(r.AUC-0.5) > 1e-12 {
		t.Errorf("the AUC of ties is %v, want 0.5", r.AUC)
	}
	if r := NewReliability([]Claim{{0.5, true}}); r.AUC != 0 || r.Skill != 0 {
		t.Errorf("true answers alone have AUC %v and skill %v", r.AUC, r.Skill)
	}
	if rows := r.table().Rows; len(rows) != 4 || rows[0][0] != "0.00 to 0.10" || rows[0][2] != "3.00" || rows[0][3] != "50.00" {
		t.Errorf("the table has rows %v", rows)
	}
}
