package product

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// TestIntegers compares products of 16-bit integers with sums in float64, for sizes around
// the edges of groups. What lies around the products must stay.
func TestIntegers(t *testing.T) {
	if !HasIntegers() {
		t.Skip("needs a processor with AMX-INT8")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var p Integers
	var room IntegerRoom
	for _, rows := range []int{1, 15, 16, 17, 33, 128} {
		for _, queries := range []int{1, 15, 16, 17, 31, 32, 33, 70} {
			for _, columns := range []int{64, 128, 512} {
				const at, behind = 5, 3
				high, low, scales := make([]int8, rows*columns), make([]int8, rows*columns), make([]float32, rows)
				for i := range high {
					high[i], low[i] = int8(rng.IntN(255)-127), int8(rng.IntN(256)-128)
				}
				for i := range scales {
					scales[i] = rng.Float32()
				}
				p.Reset(queries, columns)
				list, by, dst := make([][]int16, queries), make([]float32, queries), make([][]float32, queries)
				for j := range list {
					list[j], by[j], dst[j] = make([]int16, 2*columns), rng.Float32(), make([]float32, at+rows+behind)
					for l := range columns {
						list[j][l] = int16(rng.IntN(2*32512+1) - 32512)
					}
					ref.PackQuery(list[j])
					for i := range dst[j] {
						dst[j][i] = -7
					}
					p.Add(list[j], by[j], dst[j])
				}
				p.Mul(&room, at, high, low, scales)
				for j := range list {
					for i, got := range dst[j] {
						if i < at || i >= at+rows {
							if got != -7 {
								t.Fatalf("%d×%d×%d: number %d of query %d has changed", rows, queries, columns, i, j)
							}
							continue
						}
						sum, size := 0.0, 0.0
						for l := range columns {
							x := float64(high[(i-at)*columns+l]) + float64(low[(i-at)*columns+l])/256
							sum += x * float64(list[j][l])
							size += math.Abs(x * float64(list[j][l]))
						}
						factor := float64(by[j]) * float64(scales[i-at])
						// Low bytes are left out, and the rest is rounded to float32 a few times.
						if want := sum * factor; !(math.Abs(float64(got)-want) <= factor*(64*float64(columns)+0x1p-21*size)) {
							t.Fatalf("%d×%d×%d: row %d of query %d is %v, want %v", rows, queries, columns, i-at, j, got, want)
						}
					}
				}
			}
		}
	}
}

// BenchmarkIntegers times the scores of a batch: GFLOP/s are those of the product that is wanted.
func BenchmarkIntegers(b *testing.B) {
	if !HasIntegers() {
		b.Skip("this machine lacks AMX-INT8")
	}
	const rows, columns, block = 14541, 512, 128
	high, low, scales := make([]int8, rows*columns), make([]int8, rows*columns), make([]float32, rows)
	for _, queries := range []int{64, 128} {
		b.Run(fmt.Sprint(queries), func(b *testing.B) {
			var p Integers
			var room IntegerRoom
			p.Reset(queries, columns)
			for range queries {
				p.Add(make([]int16, 2*columns), 1, make([]float32, rows))
			}
			for b.Loop() {
				for lo := 0; lo < rows; lo += block {
					hi := min(lo+block, rows)
					p.Mul(&room, lo, high[lo*columns:hi*columns], low[lo*columns:hi*columns], scales[lo:hi])
				}
			}
			b.ReportMetric(2*float64(rows*columns*queries)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
		})
	}
}
