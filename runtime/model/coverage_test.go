package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCoverage draws questions that are exchangeable with those of a calibration: a level must hold for its share of them,
// within three standard errors, with ties and however many questions there are. The threshold rises with no level.
func TestCoverage(t *testing.T) {
	const repetitions = 20_000
	rng := rand.New(rand.NewPCG(5, 8))
	for _, ratios := range []struct {
		name string
		draw func() float64
	}{
		{"continuous", rng.Float64},
		{"tied", func() float64 { return math.Floor(4*rng.Float64()) / 4 }},
		{"skewed", func() float64 { return math.Pow(rng.Float64(), 20) }},
	} {
		name := ratios.name
		draw := ratios.draw
		for _, n := range []int{1, 4, 9, 19, 40, 256, 257, 700} {
			for _, level := range []float64{0.5, 0.8, 0.9, 0.95, 0.99} {
				covered, tried := 0, repetitions/max(1, n/10)
				enough := n >= int(math.Round(level/(1-level)))
				for range tried {
					ratios := make([]float64, n)
					for i := range ratios {
						ratios[i] = draw()
					}
					c := NewCoverage(ratios)
					ratio, ok := c.At(level)
					if ok != enough {
						t.Fatalf("%d questions are enough for %v: %v, want %v", n, level, ok, enough)
					}
					if ok && draw() >= ratio {
						covered++
					}
				}
				share := float64(covered) / float64(tried)
				if enough && share < level-3*math.Sqrt(level*(1-level)/float64(tried)) {
					t.Errorf("%s: %d questions give %v the share %v", name, n, level, share)
				}
			}
		}
	}

	ratios := make([]float64, 1000)
	for i := range ratios {
		ratios[i] = rng.Float64()
	}
	c := NewCoverage(ratios)
	last := math.Inf(1)
	for level := 0.5; level < 0.99; level += 0.001 {
		ratio, ok := c.At(level)
		if !ok || ratio > last {
			t.Errorf("at %v the threshold rises to %v from %v", level, ratio, last)
		}
		last = ratio
	}
}

// TestCoverageErrors validates quantiles as a bundle may have them.
func TestCoverageErrors(t *testing.T) {
	for name, c := range map[string]Coverage{
		"too many":      {Questions: 1, Ratios: []float64{0, 1}},
		"too few":       {Questions: 2, Ratios: []float64{0}},
		"negative":      {Questions: -1},
		"descending":    {Questions: 2, Ratios: []float64{1, 0}},
		"no number":     {Questions: 1, Ratios: []float64{math.NaN()}},
		"infinite":      {Questions: 1, Ratios: []float64{math.Inf(1)}},
		"below 0":       {Questions: 1, Ratios: []float64{-1}},
		"out of bounds": {Questions: math.MaxInt, Ratios: make([]float64, maxPoints)},
	} {
		if c.validate() == nil {
			t.Errorf("%s: %+v is valid", name, c)
		}
	}
	for _, n := range []int{0, 1, maxPoints, 3 * maxPoints} {
		c := NewCoverage(make([]float64, n))
		if err := c.validate(); err != nil {
			t.Errorf("%d questions: %v", n, err)
		}
	}
}
