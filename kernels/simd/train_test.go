package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/kernels/ref/reftest"
)

// trainer is an implementation of the kernels of training.
type trainer struct {
	name      string
	present   bool
	Gemm      func(c, a, b []float32, m, n, k, cRow, aRow, aCol, bRow int)
	ExpShifts func(dst, x, shifts, sums []float32)
	AdagradN3 func(x, squares, grad []float32, rate, n3 float32)
}

// trainers adds the portable kernels and the dispatched ones.
func trainers() []trainer {
	return append(assembledTrainers(),
		trainer{"portable", true, ref.Gemm, ref.ExpShifts, ref.AdagradN3},
		trainer{"simd", true, Gemm, ExpShifts, AdagradN3})
}

// TestGemm compares products of views with plain sums in float64, for sizes
// around the tiles and both ways to walk a. What lies between the rows of c must
// stay.
func TestGemm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range trainers() {
		if !e.present {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			for _, m := range []int{0, 1, 3, 4, 5, 6, 7, 13, 14, 15, 19, 33} {
				for _, n := range []int{0, 16, 32, 48, 80} {
					for _, k := range []int{0, 1, 2, 127, 129, 260} {
						cRow, bRow := n+rng.IntN(3), n+rng.IntN(3)
						aRow, aCol := k+rng.IntN(3), 1
						if rng.IntN(2) == 0 {
							aRow, aCol = 1, m+rng.IntN(3)
						}
						a, b := normal(rng, max(0, (m-1)*aRow+(k-1)*aCol+1)), normal(rng, max(0, (k-1)*bRow+n))
						c := normal(rng, max(0, (m-1)*cRow+n)+1)
						old := append([]float32(nil), c...)
						e.Gemm(c, a, b, m, n, k, cRow, aRow, aCol, bRow)
						for at, got := range c {
							i, j := at/max(1, cRow), at%max(1, cRow)
							want, size := float64(old[at]), math.Abs(float64(old[at]))
							if i < m && j < n {
								for l := range k {
									p := float64(a[i*aRow+l*aCol]) * float64(b[l*bRow+j])
									want += p
									size += math.Abs(p)
								}
							}
							if !(math.Abs(float64(got)-want) <= reftest.Tolerance*size) {
								t.Fatalf("%d×%d×%d: element %d is %v, want %v", m, n, k, at, got, want)
							}
						}
					}
				}
			}
		})
	}
}

// TestExpShifts compares exponentials and sums with package math.
func TestExpShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, e := range trainers() {
		if !e.present {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			for n := range 131 {
				x, shifts, sums := normal(rng, n), normal(rng, n), normal(rng, n+1)
				old := append([]float32(nil), sums...)
				if n > 0 {
					x[n-1] = -200
				}
				dst := make([]float32, n)
				e.ExpShifts(dst, x, shifts, sums)
				for i, got := range dst {
					want := math.Exp(float64(x[i] - shifts[i]))
					if x[i] == -200 {
						want = 0
					}
					if math.Abs(float64(got)-want) > reftest.ExpError*want || sums[i] != old[i]+got {
						t.Fatalf("place %d of %d is %v, sum %v; want %v added to %v", i, n, got, sums[i], want, old[i])
					}
				}
				if sums[n] != old[n] {
					t.Fatal("wrote beyond the end")
				}
			}
		})
	}
}

// TestAdagradN3 compares a step with one in float64. Where nothing pulls, an
// embedding of zeros stays.
func TestAdagradN3(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rate, n3 = 0.1, 0.3
	for _, e := range trainers() {
		if !e.present {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			for d := range 70 {
				x, squares, grad := normal(rng, 2*d), normal(rng, 2*d), normal(rng, 2*d)
				for i := range squares {
					squares[i] *= squares[i]
				}
				want := make([]float64, 2*d)
				for i := range want {
					k := i % d
					g := float64(grad[i]) + n3*math.Hypot(float64(x[k]), float64(x[d+k]))*float64(x[i])
					want[i] = float64(x[i]) - rate*g/(math.Sqrt(float64(squares[i])+g*g)+1e-10)
				}
				e.AdagradN3(x, squares, grad, rate, n3)
				for i, got := range x {
					if math.Abs(float64(got)-want[i]) > 1e-6*(1+math.Abs(want[i])) {
						t.Fatalf("rank %d: element %d is %v, want %v", d, i, got, want[i])
					}
				}
				zero := make([]float32, 2*d)
				e.AdagradN3(zero, make([]float32, 2*d), make([]float32, 2*d), rate, n3)
				for _, v := range zero {
					if v != 0 {
						t.Fatalf("zeros became %v", v)
					}
				}
			}
		})
	}
}

// TestGemmChecks expects a panic where a view leaves its slice.
func TestGemmChecks(t *testing.T) {
	s := make([]float32, 64)
	for name, call := range map[string]func(){
		"c":       func() { Gemm(s[:47], s, s, 3, 16, 2, 16, 2, 1, 16) },
		"a":       func() { Gemm(s, s[:5], s, 3, 16, 2, 16, 2, 1, 16) },
		"b":       func() { Gemm(s, s, s[:31], 3, 16, 2, 16, 2, 1, 16) },
		"columns": func() { Gemm(s, s, s, 3, 15, 2, 16, 2, 1, 16) },
		"stride":  func() { Gemm(s, s, s, 3, 16, 2, -16, 2, 1, 16) },
		"odd":     func() { AdagradN3(s[:3], s, s, 1, 1) },
		"squares": func() { AdagradN3(s, s[:63], s, 1, 1) },
		"sums":    func() { ExpShifts(s, s, s, s[:63]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// BenchmarkTrainGemm times the three products of a step of training, on 128 rows
// of a table of rank 256 with 288 queries: scores, and the gradients of queries
// and table.
func BenchmarkTrainGemm(b *testing.B) {
	const rows, queries, width = 126, 288, 512
	const tableRow, queryRow = width + 16, queries + 16
	table, asked := random(rows*tableRow), random(queries*tableRow)
	scores, transposed := random(rows*queryRow), random(width*queryRow)
	for _, e := range trainers() {
		if !e.present || e.name == "portable" {
			continue
		}
		for name, f := range map[string]func(){
			"scores": func() {
				clear(scores)
				e.Gemm(scores, table, transposed, rows, queries, width, queryRow, tableRow, 1, queryRow)
			},
			"queries": func() { e.Gemm(asked, scores, table, queries, width, rows, tableRow, 1, queryRow, tableRow) },
			"table":   func() { e.Gemm(table, scores, asked, rows, width, queries, tableRow, queryRow, 1, tableRow) },
		} {
			b.Run(fmt.Sprintf("%s/%s", name, e.name), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(2*rows*queries*width*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func normal(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
