package product

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/testdata/long"
)

// TestTotals compares weighted sums of rows of 16-bit integers with sums in float64, for sizes around the edges
// of steps and groups. Numbers next to the sums must not change.
func TestTotals(t *testing.T) { eachInteger(t, checkTotals) }

func checkTotals(t *testing.T, _ string) {
	rng := rand.New(rand.NewPCG(5, 6))
	var totals Totals
	for a, rows := range []int{1, 3, 63, 64, 65, 128, 200, TotalRows} {
		for b, queries := range []int{1, 15, 16, 17, 70} {
			for c, columns := range []int{64, 192, 512} {
				if !long.Tests() && (a+b+c)%3 != 0 {
					continue
				}
				stride, groups := columns+5, (queries+15)/16
				high, low, scales := make([]int8, rows*columns), make([]int8, rows*columns), make([]float32, rows)
				for i := range high {
					high[i], low[i] = int8(rng.IntN(255)-127), int8(rng.IntN(256)-128)
				}
				for i := range scales {
					scales[i] = 0.5 + rng.Float32()
				}
				acc := make([]float32, groups*16*stride)
				for i := range acc {
					acc[i] = -7
				}
				list, unfit := make([][]float32, queries), map[int]bool{5: true, 6: true, 7: true}
				totals.Rows(queries, high, low, rows, columns)
				for j := range list {
					list[j] = make([]float32, rows)
					for i := range list[j] {
						list[j][i] = float32(math.Exp(8*rng.Float64()-8)) * float32(1-j%2*rng.IntN(3))
					}
					switch j {
					case 4:
						clear(list[j])
					case 5:
						list[j][rows-1] = float32(math.NaN())
					case 6:
						list[j][0] = float32(math.Inf(1))
					case 7:
						for i := range list[j] {
							list[j][i] = 1e-36
						}
					}
					if got := totals.Weigh(j, list[j], scales); got == unfit[j] {
						t.Fatalf("%d×%d×%d: weights of query %d are taken: %t", rows, queries, columns, j, got)
					}
				}
				totals.AddTo(acc, stride)
				for j, weights := range list {
					largest := 0.0
					for i, w := range weights {
						largest = max(largest, math.Abs(float64(w)*float64(scales[i])))
					}
					for l := range stride {
						want, within := -7.0, 0.0
						for i := 0; i < rows && l < columns && !unfit[j]; i++ {
							x := float64(high[i*columns+l]) + float64(low[i*columns+l])/256
							w := float64(weights[i]) * float64(scales[i])
							want += w * x
							// The weight is rounded, products of low bytes are omitted, and the rest is rounded to float32.
							within += math.Abs(x)*largest/65000 + 64*largest/32512 + 0x1p-21*math.Abs(w*x)
						}
						if got := acc[j*stride+l]; !(math.Abs(float64(got)-want) <= within+0x1p-21*math.Abs(want)) {
							t.Fatalf("%d×%d×%d: column %d of query %d is %v, want %v within %v", rows, queries, columns, l, j, got, want, within)
						}
					}
				}
			}
		}
	}
}
