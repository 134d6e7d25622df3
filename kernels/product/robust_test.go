package product

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// packed returns operands of random matrices.
func packed(rng *rand.Rand, m, n, depth int, terms Terms) (*Left, *Right, matrix, matrix) {
	a, b := draw(rng, anyKind, m, depth, 0, false), draw(rng, anyKind, depth, n, 0, false)
	left, right := new(Left), new(Right)
	left.Pack(a.Matrix, terms)
	right.Pack(b.Matrix, terms)
	return left, right, a, b
}

// TestParts expects a product to have the same bits whichever other rows and columns are computed with it.
func TestParts(t *testing.T) {
	eachUnit(t, func(t *testing.T, unit string) {
		rng := rand.New(rand.NewPCG(3, 4))
		const m, n, depth = 75, 170, 300
		for terms := One; terms <= Three; terms++ {
			left, right, a, b := packed(rng, m, n, depth, terms)
			old := make([]float32, m*n)
			for i := range old {
				old[i] = float32(rng.NormFloat64())
			}
			for way, multiply := range []func([]float32, int, *Left, *Right){Mul, MulAdd} {
				whole := slices.Clone(old)
				multiply(whole, n, left, right)
				for range 30 {
					i, j := rng.IntN(m), rng.IntN(n)
					rows, cols := 1+rng.IntN(m-i), 1+rng.IntN(n-j)
					var x Left
					var y Right
					x.Pack(Of(a.numbers[i*depth:], rows, depth, depth), terms)
					y.Pack(Of(b.numbers[j:], depth, cols, n), terms)
					part := make([]float32, rows*cols)
					for r := range rows {
						copy(part[r*cols:(r+1)*cols], old[(i+r)*n+j:])
					}
					multiply(part, cols, &x, &y)
					for r := range rows {
						if !slices.Equal(part[r*cols:(r+1)*cols], whole[(i+r)*n+j:][:cols]) {
							t.Fatalf("%d terms, way %d: row %d of %d×%d at %d, %d differs", terms, way, r, rows, cols, i, j)
						}
					}
				}
			}
		}
	})
}

// TestExtremes expects numbers that are infinite, NaN or too large to affect only their own rows and columns.
func TestExtremes(t *testing.T) {
	inf := float32(math.Inf(1))
	eachUnit(t, func(t *testing.T, unit string) {
		rng := rand.New(rand.NewPCG(5, 6))
		const m, n, depth = 40, 48, 70
		for terms := One; terms <= Three; terms++ {
			for _, odd := range []float32{inf, -inf, float32(math.NaN()), math.MaxFloat32} {
				left, right, a, b := packed(rng, m, n, depth, terms)
				want, got := make([]float32, m*n), make([]float32, m*n)
				Mul(want, n, left, right)
				row, col := rng.IntN(m), rng.IntN(n)
				a.numbers[row*depth+rng.IntN(depth)] = odd
				b.numbers[rng.IntN(depth)*n+col] = odd
				left.Pack(a.Matrix, terms)
				right.Pack(b.Matrix, terms)
				Mul(got, n, left, right)
				for at := range got {
					if i, j := at/n, at%n; i != row && j != col && got[at] != want[at] {
						t.Fatalf("%d terms, %v in row %d and column %d: row %d, column %d is %v, want %v", terms, odd, row, col, i, j, got[at], want[at])
					}
				}
			}
		}
	})
}

// TestMemory expects no allocation once an operand has its size.
func TestMemory(t *testing.T) {
	eachUnit(t, func(t *testing.T, unit string) {
		rng := rand.New(rand.NewPCG(7, 8))
		const m, n, depth = 70, 50, 90
		for terms := One; terms <= Three; terms++ {
			left, right, a, b := packed(rng, m, n, depth, terms)
			if k := kind(terms / Three); k != anyKind {
				a = draw(rng, k, m, depth, 0, false)
				left.Pack(a.Matrix, terms)
			}
			c := make([]float32, m*n)
			if count := testing.AllocsPerRun(10, func() {
				left.Pack(a.Matrix, terms)
				right.Pack(b.Matrix, terms)
				Mul(c, n, left, right)
				MulAdd(c, n, left, right)
				MulT(c, m, left, right)
			}); count > 0 {
				t.Errorf("%d terms: %v allocations", terms, count)
			}
		}
	})
}

// TestPreempted multiplies on many goroutines interrupted by the scheduler and the garbage collector, and
// expects the same bits each time.
func TestPreempted(t *testing.T) {
	eachUnit(t, func(t *testing.T, unit string) {
		rng := rand.New(rand.NewPCG(9, 10))
		const m, n, depth, goroutines = 64, 65, 256, 8
		turns := 60
		if unit == "emulated" { // no assembly
			turns = 2
		}
		left, right, _, _ := packed(rng, m, n, depth, Two)
		want := make([]float32, m*n)
		Mul(want, n, left, right)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(goroutines))
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				for turn := range turns {
					c := make([]float32, m*n)
					Mul(c, n, left, right)
					if !slices.Equal(c, want) {
						t.Errorf("goroutine %d, turn %d: another product", g, turn)
						return
					}
					if turn%8 == g {
						runtime.GC()
					}
				}
			})
		}
		all.Wait()
	})
}

// TestChecks expects a panic where operands do not fit each other or the result.
func TestChecks(t *testing.T) {
	s := make([]float32, 64)
	operands := func(m, k, l, n int, terms Terms) (*Left, *Right) {
		var a Left
		var b Right
		a.Pack(Of(s, m, k, k), Two)
		b.Pack(Of(s, l, n, n), terms)
		return &a, &b
	}
	for name, call := range map[string]func(){
		"matrix":  func() { Of(s, 9, 8, 8) },
		"stride":  func() { Of(s, 2, 8, 7) },
		"rows":    func() { Of(s, -1, 8, 8) },
		"terms":   func() { new(Left).Pack(Of(s, 2, 2, 2), 4) },
		"none":    func() { new(Right).Pack(Of(s, 2, 2, 2), 0) },
		"depths":  func() { a, b := operands(2, 3, 4, 2, Two); Mul(s, 2, a, b) },
		"mixed":   func() { a, b := operands(2, 3, 3, 2, Three); Mul(s, 2, a, b) },
		"result":  func() { a, b := operands(5, 3, 3, 13, Two); Mul(s, 13, a, b) },
		"columns": func() { a, b := operands(5, 3, 3, 13, Two); MulT(s[:63], 5, a, b) },
		"narrow":  func() { a, b := operands(2, 3, 3, 2, Two); MulAdd(s, 1, a, b) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}
