package model

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawCurve draws a curve that is valid.
func drawCurve(t *rapid.T, label string) Curve {
	var c Curve
	x, y := 0.0, 0.0
	for range rapid.IntRange(0, 8).Draw(t, label) {
		x += rapid.Float64Range(1e-12, 2).Draw(t, "x")
		y = min(1, y+rapid.Float64Range(0, 0.3).Draw(t, "y"))
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
	return c
}

// TestCurve checks that a curve passes through its points, never descends, and stays
// between its neighbours.
func TestCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCurve(t, "points")
		if err := c.validate(); err != nil {
			t.Fatal(err)
		}
		for i, x := range c.X {
			if got := c.At(x); got != c.Y[i] {
				t.Fatalf("at point %d it is %v, want %v", i, got, c.Y[i])
			}
		}
		a, b := rapid.Float64Range(0, 20).Draw(t, "a"), rapid.Float64Range(0, 20).Draw(t, "b")
		low, high := c.At(min(a, b)), c.At(max(a, b))
		if !(0 <= low && low <= high && high <= 1) {
			t.Fatalf("it is %v at %v and %v at %v", low, min(a, b), high, max(a, b))
		}
	})
	// Halfway between 0.01 and 1, over the logarithm, is 0.1.
	c := Curve{X: []float64{0.01, 1}, Y: []float64{0.2, 0.6}}
	if got := c.At(0.1); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("halfway it is %v, want 0.4", got)
	}
	if got := (&Curve{}).At(3); got != 1 {
		t.Errorf("without points it is %v, want 1", got)
	}
}

// TestConfidenceAscends checks that confidences keep the order of scores, between how often
// such answers were confirmed and 1.
func TestConfidenceAscends(t *testing.T) {
	line := Curve{X: []float64{1, math.E}, Y: []float64{0, 1}}
	for _, c := range []Calibration{{Score: line}, {Score: line, Strength: Curve{X: []float64{1}, Y: []float64{1}}}} {
		before := 0.0
		for i := range 1001 {
			y := float64(i) / 1000
			got := c.Confidence(math.Exp(y), 1)
			if got < before || got < y-1e-9 || got > 1 {
				t.Fatalf("of answers confirmed with chance %v the confidence is %v, before it was %v", y, got, before)
			}
			before = got
		}
		if got := c.Confidence(math.E, 1); got != 1 {
			t.Errorf("of answers that were all confirmed the confidence is %v", got)
		}
	}
}

func TestConfidenceErrors(t *testing.T) {
	good := Curve{X: []float64{0.1, 0.5}, Y: []float64{0.2, 0.7}}
	long := Curve{}
	for i := range maxPoints + 1 {
		long.X, long.Y = append(long.X, float64(i+1)), append(long.Y, 0.5)
	}
	many := map[string]Calibration{}
	for i := range maxFamilies + 1 {
		many[strings.Repeat("x", i+1)] = Calibration{Score: good, Known: 1}
	}
	one := func(c Calibration) Confidence { return Confidence{"nsmp": {AnyFamily: c}} }
	score := func(x, y []float64) Confidence { return one(Calibration{Score: Curve{X: x, Y: y}, Known: 1}) }
	for _, c := range []struct {
		confidence Confidence
		want       string
	}{
		{one(Calibration{Score: good, Known: 0.7}), ""},
		{Confidence{"magic": many}, `"magic" is no semantics`},
		{Confidence{"": {AnyFamily: {Score: good, Known: 1}}}, "is no semantics"},
		{Confidence{"fit": many}, "fit has 65 families"},
		{Confidence{"fit": {}}, "fit has 0 families"},
		{one(Calibration{Known: 1}), "score has no points"},
		{one(Calibration{Score: long, Known: 1}), "257 x and 257 y"},
		{score([]float64{1}, nil), "1 x and 0 y"},
		{score([]float64{0}, []float64{0.5}), "x 0 is 0, want positive"},
		{score([]float64{-1}, []float64{0.5}), "x 0 is -1"},
		{score([]float64{2, 2}, []float64{0.5, 0.6}), "x 1 is 2"},
		{score([]float64{math.Inf(1)}, []float64{0.5}), "x 0 is +Inf"},
		{score([]float64{math.NaN()}, []float64{0.5}), "x 0 is NaN"},
		{score([]float64{1, 2}, []float64{0.5, 0.4}), "y 1 is 0.4"},
		{score([]float64{1}, []float64{1.1}), "y 0 is 1.1"},
		{score([]float64{1}, []float64{-0.1}), "y 0 is -0.1"},
		{score([]float64{1}, []float64{math.NaN()}), "y 0 is NaN"},
		{one(Calibration{Score: good, Strength: Curve{X: []float64{1, 2}, Y: []float64{1, 0}}, Known: 1}), "strength: y 1 is 0"},
		{one(Calibration{Score: good, Known: 0.6}), "known is 0.6, below the confidence of a prediction, 0.7"},
		{one(Calibration{Score: good, Known: 1.5}), "known is 1.5"},
		{one(Calibration{Score: good, Known: math.NaN()}), "known is NaN"},
		{one(Calibration{Score: good, Known: 1, Answers: -1}), "made of -1 answers"},
	} {
		err := c.confidence.validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
