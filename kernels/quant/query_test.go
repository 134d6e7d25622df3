package quant

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
)

// newQuery returns a query for rows of the given width.
func newQuery(width int) *Query { return &Query{Packed: make([]int16, 2*Columns(width))} }

// TestBound checks that the error of products of code rows is within its bound: for rows of all kinds with
// queries of all kinds, and with the worst query for a row, its own error.
func TestBound(t *testing.T) {
	var tightest float64
	rows(t, func(t *testing.T, rng *rand.Rand, x []float32) {
		w := Columns(len(x))
		norm := float32(math.Sqrt(square(x)))
		if norm-norm != 0 {
			return // the norm is not a float32
		}
		if norm < 0x1p-126 { // so its relative error may exceed 10⁻⁶
			norm = math.Nextafter32(norm, 1)
		}
		codes := make([]int8, w)
		scale, residual, _ := quantiseRow(codes, x)
		queries := [][]float32{worst(x, codes, scale)}
		for _, k := range rowKinds {
			y := make([]float32, len(x))
			k.draw(rng, y)
			queries = append(queries, y)
		}
		for i, y := range queries {
			q := newQuery(len(x))
			if fits := math.Sqrt(square(y)) <= math.MaxFloat32/2; q.Set(y) != fits {
				t.Fatalf("query %d: accepted is %v", i, !fits)
			} else if !fits {
				continue
			}
			var score [1]float32
			simd.DotRowsI8(score[:], codes, []float32{scale}, q.Packed, q.Scale, true)
			if score[0]-score[0] != 0 {
				continue // the product is not a float32
			}
			difference := exact(wide(x), wide(y))
			difference.Sub(difference, big.NewFloat(float64(score[0])))
			away, _ := difference.Abs(difference).Float64()
			a, b := q.Bound()
			bound := float64(float32(a*residual)+float32(b*norm)) + 0x1p-126
			if !(away <= bound) {
				t.Fatalf("%d columns, query %d: score %v is %v away, bound %v", len(x), i, score[0], away, bound)
			}
			if i == 0 && len(x) == 512 {
				tightest = max(tightest, away/bound)
			}
		}
	})
	if tightest < 0.9 {
		t.Errorf("the worst query comes to %v of the bound, want most of it", tightest)
	}
}

// worst returns the direction of a row's error.
func worst(x []float32, codes []int8, scale float32) []float32 {
	y := make([]float32, len(x))
	for j, v := range x {
		y[j] = float32(float64(v) - float64(scale)*float64(codes[j]))
	}
	return y
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for j, v := range x {
		y[j] = float64(v)
	}
	return y
}

func square(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

// TestLimit checks that no product overflows, and that all 16 bits are used if possible.
func TestLimit(t *testing.T) {
	for _, w := range []int{1, 64, 512, 513, 2000, 8192, 65536} {
		l := Limit(w)
		if l < 1 || l > 32512 || (l*127+(l+128)/256*128)*Columns(w) > math.MaxInt32 {
			t.Errorf("width %d: limit %d", w, l)
		}
	}
	if Limit(512) != 32512 || Limit(2000) != 8190 {
		t.Errorf("limits are %d and %d", Limit(512), Limit(2000))
	}
}

// TestSetAllocs checks that Set does not allocate.
func TestSetAllocs(t *testing.T) {
	q, x := newQuery(512), make([]float32, 512)
	if n := testing.AllocsPerRun(10, func() { q.Set(x) }); n != 0 {
		t.Errorf("Set allocates %v times", n)
	}
}

func BenchmarkSet(b *testing.B) {
	for _, w := range []int{512, 2000} {
		b.Run(fmt.Sprint(w), func(b *testing.B) {
			q, x := newQuery(w), make([]float32, w)
			rowKinds[0].draw(rand.New(rand.NewPCG(1, 2)), x)
			for b.Loop() {
				q.Set(x)
			}
		})
	}
}
