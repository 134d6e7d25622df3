package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInterval compares with the normal distribution, which means of many values have: of two shapes
// with 400 and 100 values of deviation 1, the error of the mean of means is √(1/400 + 1/100) / 2.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, middle float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = middle + 2*float64(i%2) - 1 // deviation 1, whatever the order
		}
		rng.Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
		return values
	}
	got := interval(resample(draw(400, 3)), resample(draw(100, 5)))
	half := 1.96 * math.Sqrt(1./400+1./100) / 2
	for i, want := range []float64{4 - half, 4 + half} {
		if math.Abs(got[i]-want) > 0.1*half {
			t.Errorf("the interval is %v, want %.3f to %.3f", got, 4-half, 4+half)
		}
	}
}

// TestGain compares with figures that were worked out by hand: differences of -0.1, 0 and 0.4 have the
// mean 0.1 and the variance 0.07.
func TestGain(t *testing.T) {
	g := NewGain([][]float64{{-0.1, 0, 0.4}, {1}}, [][]float64{{0, 0, 0}, {0}})
	if math.Abs(g.Mean-(0.1+1)/2) > 1e-12 || math.Abs(g.Err-math.Sqrt(0.07/3)/2) > 1e-12 {
		t.Errorf("gain is %+v", g)
	}
	g = NewGain([][]float64{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}, [][]float64{make([]float64, 5), make([]float64, 5)})
	if math.Abs(g.Err-math.Sqrt(0.5)/math.Sqrt2) > 1e-9 {
		t.Errorf("gain of two shapes is %+v", g)
	}
}
