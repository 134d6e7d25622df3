package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/internal/ref"
)

// sweepGemm compares products of views with plain sums in float64, for sizes around the tiles and both layouts
// of a. Numbers between the rows of c must not change.
func sweepGemm(t *testing.T) {
	mem := newMemory(t)
	for _, m := range []int{0, 1, 3, 4, 5, 6, 7, 13, 14, 15, 19, 33} {
		for _, n := range []int{0, 16, 32, 48, 80} {
			for i, k := range []int{0, 1, 2, 5, 127, 129, 260} {
				for r := range regimes {
					if i > 3 && r != ordinary {
						break // the magnitude of numbers does not matter for large products
					}
					cRow, bRow := n+mem.rng.IntN(3), n+mem.rng.IntN(3)
					aRow, aCol := k+mem.rng.IntN(3), 1
					if mem.rng.IntN(2) == 0 {
						aRow, aCol = 1, m+mem.rng.IntN(3)
					}
					a, b := mem.numbers(max(0, (m-1)*aRow+(k-1)*aCol+1), m%4, r), mem.numbers(max(0, (k-1)*bRow+n), n%3, r)
					old := mem.numbers(max(0, (m-1)*cRow+n), 0, ordinary)
					c := mem.result(len(old), k%3, 0)
					copy(c, old)
					Gemm(c, a, b, m, n, k, cRow, aRow, aCol, bRow)
					for at, got := range c {
						i, j := at/max(1, cRow), at%max(1, cRow)
						var want sum
						want.add(float64(old[at]))
						if j < n {
							for l := range k {
								want.add(float64(a[i*aRow+l*aCol]) * float64(b[l*bRow+j]))
							}
						}
						if !want.holds(got) {
							t.Fatalf("%d×%d×%d of %s numbers: element %d is %v, want %v", m, n, k, r, at, got, want.value)
						}
					}
					mem.next("%d×%d×%d", m, n, k)
				}
			}
		}
	}
}

// sweepExpShifts compares exponentials and sums with package math.
func sweepExpShifts(t *testing.T) {
	m := newMemory(t)
	for _, n := range counts {
		for range 20 {
			for r := range regimes {
				x, from, old := m.numbers(n, n%4, r), m.numbers(n, n%3, r), m.normal(n, 0)
				dst, sums := m.result(n, n%3, -1), m.result(n, n%5, 0)
				copy(sums, old)
				ExpShifts(dst, x, from, sums)
				for i, got := range dst {
					if want := exponential(x[i] - from[i]); !expNear(got, want) || !sameNumber(sums[i], old[i]+got) {
						t.Fatalf("exp(%v − %v) at %d of %d is %v, sum %v; want %v added to %v", x[i], from[i], i, n, got, sums[i], want, old[i])
					}
				}
				m.next("%d exponentials", n)
			}
		}
	}
}

// sweepAdagrad compares a step with one in float64. With a zero gradient, an embedding of zeros must not
// change.
func sweepAdagrad(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rate, n3 = 0.1, 0.3
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
		AdagradN3(x, squares, grad, rate, n3)
		for i, got := range x {
			if math.Abs(float64(got)-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Fatalf("rank %d: element %d is %v, want %v", d, i, got, want[i])
			}
		}
		extremeStep(t, rng, d)
		zero := make([]float32, 2*d)
		AdagradN3(zero, make([]float32, 2*d), make([]float32, 2*d), rate, n3)
		for _, v := range zero {
			if v != 0 {
				t.Fatalf("zeros became %v", v)
			}
		}
	}
}

// extremeStep compares a step with package ref's for numbers that are very large (with finite squares, also of
// the gradient), very small, or zeros of either sign.
func extremeStep(t *testing.T, rng *rand.Rand, d int) {
	t.Helper()
	scales := []float32{1e7, 1, 1e-20, 1e-30, 1e-45, 0, float32(math.Copysign(0, -1))}
	draw := func() []float32 {
		x := normal(rng, 2*d)
		for i := range x {
			x[i] *= scales[rng.IntN(len(scales))]
		}
		return x
	}
	x, squares, grad := draw(), draw(), draw()
	for i := range squares {
		squares[i] *= squares[i]
	}
	wantX, wantSquares, wantGrad := slices.Clone(x), slices.Clone(squares), slices.Clone(grad)
	ref.AdagradN3(wantX, wantSquares, wantGrad, 0.1, 0.3)
	AdagradN3(x, squares, grad, 0.1, 0.3)
	for i := range x {
		for _, pair := range [][2]float32{{x[i], wantX[i]}, {squares[i], wantSquares[i]}, {grad[i], wantGrad[i]}} {
			got, want := float64(pair[0]), float64(pair[1])
			if !(math.Abs(got-want) <= 1e-6*(math.Abs(want)+math.Abs(float64(wantGrad[i])))+1e-34) {
				t.Fatalf("rank %d: element %d is %v, want %v (x %v, gradient %v)", d, i, got, want, wantX[i], wantGrad[i])
			}
		}
	}
}

// BenchmarkTrainGemm times the three products of a training step, on 128 rows of a table of rank 256 with 288
// queries: scores, and the gradients of queries and table.
func BenchmarkTrainGemm(b *testing.B) {
	const rows, queries, width = 126, 288, 512
	const tableRow, queryRow = width + 16, queries + 16
	table, asked := random(rows*tableRow), random(queries*tableRow)
	scores, transposed := random(rows*queryRow), random(width*queryRow)
	for name, f := range map[string]func(){
		"scores": func() {
			clear(scores)
			Gemm(scores, table, transposed, rows, queries, width, queryRow, tableRow, 1, queryRow)
		},
		"queries": func() { Gemm(asked, scores, table, queries, width, rows, tableRow, 1, queryRow, tableRow) },
		"table":   func() { Gemm(table, scores, asked, rows, width, queries, tableRow, queryRow, 1, tableRow) },
	} {
		benchEngines(b, name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(2*rows*queries*width*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func normal(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
