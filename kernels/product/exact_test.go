package product

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// TestOfExact multiplies codes as numbers of at most 8 bits and as bfloat16 numbers, which are the
// same: so are the products, on either side, for all numbers of terms, up to the rounding of
// sums in another order.
func TestOfExact(t *testing.T) {
	const rows, cols, queries, stride = 50, 70, 20, 128
	random := rand.New(rand.NewPCG(1, 2))
	codes, bits := make([]float32, rows*stride), make([]uint16, rows*stride)
	for i := range codes {
		codes[i] = float32(random.IntN(256) - 128)
		bits[i] = ref.ToBF16(codes[i])
	}
	other := make([]float32, queries*cols)
	for i := range other {
		other[i] = float32(random.NormFloat64())
	}
	weights := make([]float32, queries*rows)
	for i := range weights {
		weights[i] = float32(random.NormFloat64())
	}
	for _, terms := range []Terms{One, Two, Three} {
		var got, want [2][]float32
		for i, m := range []Matrix{OfExact(codes, rows, cols, stride), OfBFloat16(bits, rows, cols, stride)} {
			to := &got
			if i == 1 {
				to = &want
			}
			var left Left
			var right Right
			left.Pack(m, terms)
			right.Pack(Of(other, queries, cols, cols).T(), terms)
			to[0] = make([]float32, rows*queries)
			MulT(to[0], rows, &left, &right)
			left.Pack(Of(weights, queries, rows, rows), terms)
			right.Pack(m, terms)
			to[1] = make([]float32, queries*cols)
			Mul(to[1], cols, &left, &right)
		}
		for side := range got {
			for i := range got[side] {
				const rounding = 70 * 128 * 0x1p-22 // four units in the last place of 70 codes times 1
				if math.Abs(float64(got[side][i]-want[side][i])) > rounding {
					t.Fatalf("%d terms, side %d: number %d is %v, want %v", terms, side, i, got[side][i], want[side][i])
				}
			}
		}
	}
}
