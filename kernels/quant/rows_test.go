package quant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowKinds draw rows of all kinds that tables may hold.
var rowKinds = []struct {
	name string
	draw func(rng *rand.Rand, x []float32)
}{
	{"normal", func(rng *rand.Rand, x []float32) { each(x, func(int) float64 { return rng.NormFloat64() }) }},
	{"zero", func(_ *rand.Rand, x []float32) { clear(x) }},
	{"equal", func(rng *rand.Rand, x []float32) {
		v := rng.NormFloat64()
		each(x, func(int) float64 { return v })
	}},
	{"one outlier", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return rng.NormFloat64() * 0.01 })
		if len(x) > 0 {
			x[rng.IntN(len(x))] = -30
		}
	}},
	{"halfway", func(rng *rand.Rand, x []float32) {
		each(x, func(j int) float64 { return float64(rng.IntN(253)-126) + 0.5*float64(j%2) })
	}},
	{"heavy tails", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return math.Tan(3.14 * (rng.Float64() - 0.5)) })
	}},
	{"huge", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return (2*rng.Float64() - 1) * math.MaxFloat32 / 2 })
	}},
	{"tiny", func(rng *rand.Rand, x []float32) { each(x, func(int) float64 { return rng.NormFloat64() * 1e-30 }) }},
	{"denormal", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return float64(rng.IntN(400)-200) * 0x1p-149 })
	}},
	{"least", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return float64(rng.IntN(3)-1) * 0x1p-149 })
	}},
	{"all sizes", func(rng *rand.Rand, x []float32) {
		each(x, func(int) float64 { return rng.NormFloat64() * math.Pow(2, float64(rng.IntN(240)-120)) })
	}},
}

func each(x []float32, f func(j int) float64) {
	for j := range x {
		x[j] = float32(f(j))
	}
}

var widths = []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 96, 130, 512, 514}

// rows calls test with rows of all kinds and widths.
func rows(t *testing.T, test func(t *testing.T, rng *rand.Rand, x []float32)) {
	for _, k := range rowKinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for _, w := range widths {
				for range 4 {
					x := make([]float32, w)
					k.draw(rng, x)
					test(t, rng, x)
				}
			}
		})
	}
}

// exact is a sum of products without rounding: 800 bits suffice for the exponent range of float32.
func exact(x, y []float64) *big.Float {
	sum := new(big.Float).SetPrec(800)
	for i, v := range x {
		p := new(big.Float).SetPrec(800).SetFloat64(v)
		sum.Add(sum, p.Mul(p, new(big.Float).SetFloat64(y[i])))
	}
	return sum
}

// checkRow checks the codes of a row against the row: their total distance, and the error of each column, which
// is at most half a unit.
func checkRow(t *testing.T, x []float32, codes []int8, scale, residual float32) {
	t.Helper()
	limit := float64(scale) / 2 * (1 + 0x1p-40)
	difference := make([]float64, len(x))
	for j, v := range x {
		difference[j] = float64(v) - float64(scale)*float64(codes[j]) // exact: see Int8's residual
		if e := math.Abs(difference[j]); e > limit {
			t.Fatalf("column %d of %d: %v becomes %d·%v, %v away, want at most %v", j, len(x), v, codes[j], scale, e, limit)
		}
	}
	for j := len(x); j < len(codes); j++ {
		if codes[j] != 0 {
			t.Fatalf("column %d beyond %d is %d", j, len(x), codes[j])
		}
	}
	square, _ := exact(difference, difference).Float64()
	if r := math.Sqrt(square); float64(residual) < r || float64(residual) > r*(1+0x1p-22)+math.SmallestNonzeroFloat32 {
		t.Fatalf("residual is %v, want %v rounded up", residual, r)
	}
}

// TestInt8 checks codes column by column: each error is at most half a unit, and the largest number has the
// largest code.
func TestInt8(t *testing.T) {
	rows(t, func(t *testing.T, _ *rand.Rand, x []float32) {
		codes := slices.Repeat([]int8{55}, Columns(len(x)))
		scale, residual, ok := quantiseRow(codes, x)
		if !ok {
			t.Fatal("refused")
		}
		checkRow(t, x, codes, scale, residual)
		size := 0.0
		for j, v := range x {
			size = max(size, math.Abs(float64(v)))
			if codes[j] == -128 || int(codes[j]) > 0 && v < 0 || int(codes[j]) < 0 && v > 0 {
				t.Fatalf("%v has code %d", v, codes[j])
			}
		}
		if want := size / 127; math.Abs(float64(scale)-want) > want*0x1p-23+0x1p-149 {
			t.Fatalf("scale is %v for numbers up to %v", scale, size)
		}
	})
}

// TestInt8Example has its codes computed by hand.
func TestInt8Example(t *testing.T) {
	x := []float32{254, -254, 1, 3, 5, -1, -3, 0.99, 1.01, 0, 100}
	want := []int8{127, -127, 0, 2, 2, 0, -2, 0, 1, 0, 50}
	codes := make([]int8, 64)
	scale, residual, ok := quantiseRow(codes, x)
	if !ok || scale != 2 || !slices.Equal(codes[:len(x)], want) {
		t.Errorf("codes are %v times %v, want %v times 2", codes[:len(x)], scale, want)
	}
	if want := math.Sqrt(5 + 0.99*0.99 + 0.99*0.99); math.Abs(float64(residual)-want) > 1e-6 {
		t.Errorf("residual is %v, want %v", residual, want)
	}
}

// TestRefused checks that numbers that cannot be quantised are refused.
func TestRefused(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32 * 0.51} {
		x := []float32{1, float32(v), 2}
		if _, _, ok := quantiseRow(make([]int8, 64), x); ok {
			t.Errorf("Int8 accepts %v", v)
		}
		q := newQuery(3)
		q.Set([]float32{1, 2, 3})
		before, scale := slices.Clone(q.Packed), q.Scale
		if q.Set(x) || q.Scale != scale || !slices.Equal(q.Packed, before) {
			t.Errorf("Set accepts %v, or changes the query", v)
		}
	}
}
