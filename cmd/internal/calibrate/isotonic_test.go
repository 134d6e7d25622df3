package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestIsotonic compares levels with the definition of the fit that does not descend: at each
// point it is max_{i ≤ k} min_{j ≥ k} of the mean from i to j.
func TestIsotonic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(30)
		var points []point
		for i := range n {
			points = append(points, point{x: float64(i + 1), true: float64(rng.IntN(2)), expected: 1})
		}
		mean := func(i, j int) float64 {
			sum := 0.0
			for _, p := range points[i : j+1] {
				sum += p.true
			}
			return sum / float64(j-i+1)
		}
		want := make([]float64, n)
		for k := range want {
			for i := range k + 1 {
				least := math.Inf(1)
				for j := k; j < n; j++ {
					least = min(least, mean(i, j))
				}
				want[k] = max(want[k], least)
			}
		}
		sum, distinct := 0.0, 0
		for k, w := range want {
			sum += w
			if k == 0 || math.Abs(w-want[k-1]) > 1e-12 {
				distinct++
			}
		}
		c := isotonic(append([]point(nil), points...), 0)
		if len(c.X) != distinct {
			t.Fatalf("%d levels, want %d", len(c.X), distinct)
		}
		// The curve passes through the level at the mean of its logarithms, in five digits.
		at := 0
		for k := 0; k < n; {
			j, logs := k, 0.0
			for ; j < n && math.Abs(want[j]-want[k]) <= 1e-12; j++ {
				logs += math.Log(points[j].x)
			}
			if x := math.Exp(logs / float64(j-k)); math.Abs(c.X[at]-x) > 1e-4*x || math.Abs(c.Y[at]-want[k]) > 1e-4*want[k] {
				t.Fatalf("level %d is %v at %v, want %v at %v", at, c.Y[at], c.X[at], want[k], x)
			}
			at, k = at+1, j
		}
	}
}

// TestFit plants chances that depend on score and strength, and checks that they are found on
// answers that had no part in it, and that weak evidence means little.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	chance := func(score, strength float64) float64 { return score * min(1, 2*strength) }
	draw := func(n int) *observed {
		o := &observed{}
		for range n {
			strength := rng.Float64()
			if rng.IntN(2) == 0 {
				strength /= 1000
			}
			for range 10 {
				score := math.Exp(-4 * rng.Float64())
				o.answers = append(o.answers, observation{score, strength, rng.Float64() < chance(score, strength), strength < 0.001})
			}
		}
		return o
	}
	c := draw(2000).fit(model.NSMP)
	sum, count := map[int]float64{}, map[int]float64{}
	for _, a := range draw(2000).answers {
		p := c.Score.At(a.score) * c.Strength.At(a.strength)
		bin := int(5 * p)
		sum[bin] += p - chance(a.score, a.strength)
		count[bin]++
	}
	for bin, n := range count {
		if off := sum[bin] / n; n > 200 && math.Abs(off) > 0.04 {
			t.Errorf("chances about %v are off by %v", (float64(bin)+0.5)/5, off)
		}
	}
	if p := c.Score.At(1) * c.Strength.At(1e-5); p > 0.05 {
		t.Errorf("the best score with hardly any evidence has confidence %v", p)
	}
}
