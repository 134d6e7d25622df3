package fit

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/testdata/seed"
)

// TestMix compares the mixture with its formula.
func TestMix(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		degree := rapid.SampledFrom([]float32{0, 1e-9, 0.0002, 0.3, 1})
		n := rapid.IntRange(1, 20).Draw(t, "n")
		x, y := rapid.SliceOfN(degree, n, n).Draw(t, "x"), rapid.SliceOfN(degree, n, n).Draw(t, "y")
		g := rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75, 1}).Draw(t, "g")
		f := func(p, d float32) float64 { return math.Pow(float64(p)+1e-12, 1-g) * math.Pow(float64(d)+1e-6, g) }
		want := make([]float64, n)
		for i := range want {
			want[i] = (f(x[i], y[i]) - f(0, 0)) / (f(1, 1) - f(0, 0))
		}
		dst := [][]float32{x, y, make([]float32, n)}[rapid.IntRange(0, 2).Draw(t, "into")]
		new(mixer).mix(dst, x, y, g, pool.New(1))
		for i, w := range want {
			if got := float64(dst[i]); math.Abs(got-w) > 1e-6*w {
				t.Fatalf("entity %d: %v, want %v", i, got, w)
			}
		}
	})
}

// TestLogarithm compares log2 and exp2 with package math.
func TestLogarithm(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(0, 60).Draw(t, "logarithm"))
		if got, want := log2(x), math.Log2(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("the logarithm of %v is %v, want %v", x, got, want)
		}
		y := rapid.Float64Range(0, 100).Draw(t, "exponent")
		if got, want := exp2(y), math.Exp2(y); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("2 to the power of %v is %v, want %v", y, got, want)
		}
	})
	if log2(1) != 0 || exp2(0) != 1 {
		t.Errorf("the logarithm of 1 is %v, and 2 to the power of 0 is %v", log2(1), exp2(0))
	}
}

// BenchmarkMix mixes the answers of 14,505 entities, where every other one has a degree.
func BenchmarkMix(b *testing.B) {
	const n = 14505
	x, y, dst := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = 1/float32(i+1), float32(i%2)/float32(n-i)
	}
	workers, m := pool.New(1), new(mixer)
	for b.Loop() {
		m.mix(dst, x, y, 0.8, workers)
	}
}
