package product

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/testdata/long"
)

// TestIntegers compares products of 16-bit integers with sums in float64, for sizes around the edges of groups.
// Numbers around the products must not change.
func TestIntegers(t *testing.T) { eachInteger(t, checkIntegers) }

func checkIntegers(t *testing.T, _ string) {
	rng := rand.New(rand.NewPCG(3, 4))
	var p Integers
	var room IntegerRoom
	for a, rows := range []int{1, 15, 16, 17, 33, 128, copied + 1} {
		for b, queries := range []int{1, 15, 16, 17, 31, 32, 33, 70} {
			for c, columns := range []int{64, 128, 512} {
				if !long.Tests() && (a+b+c)%3 != 0 {
					continue
				}
				const at, behind = 5, 3
				high, low, scales := make([]int8, rows*columns), make([]int8, rows*columns), make([]float32, rows)
				for i := range high {
					high[i], low[i] = int8(rng.IntN(255)-127), int8(rng.IntN(256)-128)
				}
				for i := range scales {
					scales[i] = rng.Float32()
				}
				p.Reset(queries, columns)
				list, dst := make([][]float32, queries), make([][]float32, queries)
				for j := range list {
					list[j], dst[j] = make([]float32, columns-j%2), make([]float32, at+rows+behind)
					for l := range list[j] {
						list[j][l] = float32(rng.NormFloat64())
					}
					if j == 3 {
						clear(list[j])
					}
					for i := range dst[j] {
						dst[j][i] = -7
					}
					if _, ok := p.AddNumbers(list[j], dst[j]); !ok {
						t.Fatalf("query %d is not taken", j)
					}
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
						want, within, largest := 0.0, 0.0, 0.0
						for _, v := range list[j] {
							largest = max(largest, math.Abs(float64(v)))
						}
						for l, v := range list[j] {
							x := float64(high[(i-at)*columns+l]) + float64(low[(i-at)*columns+l])/256
							want += x * float64(v)
							// The query is rounded, products of low bytes are omitted, and the rest is rounded to float32 a few times.
							within += math.Abs(x)*largest/65000 + 64*largest/32512 + 0x1p-21*math.Abs(x*float64(v))
						}
						if by := float64(scales[i-at]); !(math.Abs(float64(got)-by*want) <= by*within) {
							t.Fatalf("%d×%d×%d: row %d of query %d is %v, want %v within %v", rows, queries, columns, i-at, j, got, by*want, by*within)
						}
					}
				}
			}
		}
	}
}

// TestIntegersOfNumbers compares products of numbers with 16-bit integers with sums in float64,
// for numbers of all sizes and widths that end within a step.
func TestIntegersOfNumbers(t *testing.T) { eachInteger(t, checkIntegersOfNumbers) }

func checkIntegersOfNumbers(t *testing.T, _ string) {
	rng := rand.New(rand.NewPCG(5, 4))
	var p Integers
	var room IntegerRoom
	const rows, columns = 21, 128
	high, low, scales := make([]int8, rows*columns), make([]int8, rows*columns), make([]float32, rows)
	for i := range high {
		high[i], low[i] = int8(rng.IntN(255)-127), int8(rng.IntN(256)-128)
	}
	for i := range scales {
		scales[i] = rng.Float32()
	}
	for _, width := range []int{1, 63, 64, 70, 128} {
		queries := [][]float32{make([]float32, width), make([]float32, width)} // the second is 0
		for _, size := range []float64{1e-29, 1e-3, 1, 1e30} {
			q := make([]float32, width)
			for l := range q {
				q[l] = float32(size * rng.NormFloat64())
			}
			queries = append(queries, q)
		}
		queries[0][width/2] = -3
		p.Reset(len(queries), columns)
		dst := make([][]float32, len(queries))
		for j, q := range queries {
			dst[j] = make([]float32, rows)
			if unit, ok := p.AddNumbers(q, dst[j]); !ok || unit == 0 && j != 1 {
				t.Fatalf("query %d has unit %v, taken %v", j, unit, ok)
			}
		}
		p.Mul(&room, 0, high, low, scales)
		for j, q := range queries {
			largest := 0.0
			for _, v := range q {
				largest = max(largest, math.Abs(float64(v)))
			}
			for i, got := range dst[j] {
				want, size := 0.0, 0.0
				for l, v := range q {
					x := float64(scales[i]) * (float64(high[i*columns+l]) + float64(low[i*columns+l])/256)
					want, size = want+x*float64(v), size+math.Abs(x)
				}
				unit := largest / 32512 // of the query: an error of half a unit, and a product of low bytes
				if most := unit*(0.51*size+64*float64(width)*float64(scales[i])) + 0x1p-21*size*largest; !(math.Abs(float64(got)-want) <= most) {
					t.Fatalf("%d columns: row %d of query %d is %v, want %v within %v", width, i, j, got, want, most)
				}
			}
		}
	}
	p.Reset(3, columns)
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 1e-38} {
		if _, ok := p.AddNumbers([]float32{0, x}, make([]float32, rows)); ok {
			t.Errorf("a query of %v is taken", x)
		}
	}
}

// BenchmarkIntegers times the scores of a batch. GFLOP/s count the operations of the product itself.
func BenchmarkIntegers(b *testing.B) {
	if !HasIntegers() {
		b.Skip("this machine lacks AMX-INT8")
	}
	const rows, columns, block = 14541, 512, 128
	// Memory that has never been written is mapped to a single page, which stays in the cache.
	high, low, scales := slices.Repeat([]int8{1}, rows*columns), slices.Repeat([]int8{1}, rows*columns), slices.Repeat([]float32{1}, rows)
	for _, queries := range []int{1, 16, 32, 64, 128} {
		b.Run(fmt.Sprint(queries), func(b *testing.B) {
			var p Integers
			var room IntegerRoom
			p.Reset(queries, columns)
			for range queries {
				p.AddNumbers(slices.Repeat([]float32{1}, columns), slices.Repeat([]float32{1}, rows))
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
