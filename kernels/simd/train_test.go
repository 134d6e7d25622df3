package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// sweepGemm compares products of views with plain sums in float64, for sizes
// around the tiles and both ways to walk a. What lies between the rows of c must
// stay.
func sweepGemm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
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
				Gemm(c, a, b, m, n, k, cRow, aRow, aCol, bRow)
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
					if !(math.Abs(float64(got)-want) <= tolerance*size) {
						t.Fatalf("%d×%d×%d: element %d is %v, want %v", m, n, k, at, got, want)
					}
				}
			}
		}
	}
}

// sweepExpShifts compares exponentials and sums with package math.
func sweepExpShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 131 {
		x, shifts, sums := normal(rng, n), normal(rng, n), normal(rng, n+1)
		old := append([]float32(nil), sums...)
		if n > 0 {
			x[n-1] = -200
		}
		dst := make([]float32, n)
		ExpShifts(dst, x, shifts, sums)
		for i, got := range dst {
			want := math.Exp(float64(x[i] - shifts[i]))
			if x[i] == -200 {
				want = 0
			}
			if math.Abs(float64(got)-want) > expError*want || sums[i] != old[i]+got {
				t.Fatalf("place %d of %d is %v, sum %v; want %v added to %v", i, n, got, sums[i], want, old[i])
			}
		}
		if sums[n] != old[n] {
			t.Fatal("wrote beyond the end")
		}
	}
}

// sweepExpShiftsExtreme compares exponentials with package ref where differences are
// far outside the range of the exponential, where they are at its ends, and where
// they are infinite or NaN.
func sweepExpShiftsExtreme(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	rng := rand.New(rand.NewPCG(7, 8))
	edges := []float32{
		0, float32(math.Copysign(0, -1)), 1e-45, 1e-38, 1, 87.33654, 87.33655, 88, 88.72283, 88.72284, 90, 104, 200, 500, 3e38, inf, nan,
	}
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = edges[rng.IntN(len(edges))] * float32(1-2*rng.IntN(2))
		}
		return x
	}
	same := func(x, y float32) bool {
		return x == y || x != x && y != y || math.Abs(float64(x)-float64(y)) <= 2*expError*math.Abs(float64(y))
	}
	for n := range 131 {
		x, shifts, dst, want := draw(n), draw(n), make([]float32, n), make([]float32, n)
		sums := make([]float32, n+1)
		wantSums := make([]float32, n)
		ref.ExpShifts(want, x, shifts, wantSums)
		ExpShifts(dst, x, shifts, sums)
		for i := range dst {
			if !same(dst[i], want[i]) || !same(sums[i], wantSums[i]) {
				t.Fatalf("exp(%v − %v) at %d of %d is %v, sum %v; want %v and %v", x[i], shifts[i], i, n, dst[i], sums[i], want[i], wantSums[i])
			}
		}
		if sums[n] != 0 {
			t.Fatal("wrote beyond the end")
		}
	}
}

// sweepGemmExtreme compares products of numbers of which one is infinite or NaN, or
// all are denormal: only the row or the column of such a number may show it.
func sweepGemmExtreme(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for m := 1; m < 20; m++ {
		for _, n := range []int{16, 32, 48} {
			for _, odd := range []float32{inf, -inf, nan, 1e-45, float32(math.Copysign(0, -1))} {
				const k = 5
				a, b, c := normal(rng, m*k), normal(rng, k*n), normal(rng, m*n)
				if odd > -1 && odd < 1 {
					for i := range a {
						a[i] *= odd
					}
				} else {
					a[rng.IntN(len(a))] = odd
					b[rng.IntN(len(b))] = odd
				}
				want := slices.Clone(c)
				ref.Gemm(want, a, b, m, n, k, n, k, 1, n)
				Gemm(c, a, b, m, n, k, n, k, 1, n)
				for i, got := range c {
					w := want[i]
					if got != w && !(got != got && w != w) && !(math.Abs(float64(got)-float64(w)) <= 1e-5) {
						t.Fatalf("%d×%d×%d with %v: element %d is %v, want %v", m, n, k, odd, i, got, w)
					}
				}
			}
		}
	}
}

// sweepAdagrad compares a step with one in float64. Where nothing pulls, an
// embedding of zeros stays.
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

// extremeStep compares a step with package ref's where numbers are very large, but
// their squares and those of the gradient are finite, very small, or zeros of either sign.
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

// BenchmarkTrainGemm times the three products of a step of training, on 128 rows
// of a table of rank 256 with 288 queries: scores, and the gradients of queries
// and table.
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
