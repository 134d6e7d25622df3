package product

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/half"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// kind says which numbers a matrix has: arbitrary ones, or numbers for OfExact.
type kind int

const (
	anyKind kind = iota
	exactKind
)

func (k kind) String() string { return [...]string{"any", "exact"}[k] }

// matrix is a Matrix with its numbers, line by line.
type matrix struct {
	Matrix
	lines [][]float32
}

// draw returns a matrix of a kind, whose lines are its rows; transposed is its layout, apart the number of
// unused numbers between lines.
func draw(rng *rand.Rand, k kind, rows, cols, apart int, transposed bool) matrix {
	long, wide := rows, cols
	if transposed {
		long, wide = cols, rows
	}
	stride := wide + apart
	// Numbers beyond the matrix must not affect results.
	x := make([]float32, long*stride)
	for i := range x {
		v := float32(rng.NormFloat64() * math.Exp(2*rng.NormFloat64()))
		if i%stride >= wide {
			v = float32(math.NaN())
		}
		if k == exactKind {
			v = half.BFloat16(half.ToBFloat16(v))
		}
		x[i] = v
	}
	m := matrix{lines: make([][]float32, rows)}
	for i := range rows {
		m.lines[i] = make([]float32, cols)
		for l := range cols {
			at := i*stride + l
			if transposed {
				at = l*stride + i
			}
			m.lines[i][l] = x[at]
		}
	}
	m.Matrix = Of(x, long, wide, stride)
	if k == exactKind {
		m.Matrix = OfExact(x, long, wide, stride)
	}
	if transposed {
		m.Matrix = m.T()
	}
	return m
}

// bound returns the error bound of the package comment, relative to the sum of the absolute products. The bound
// for sums is increased by 1% for second-order terms.
func bound(unit string, terms Terms, table kind, depth int) float64 {
	products := [2][3]int{{1, 3, 6}, {1, 2, 3}}[table][terms-One]
	split := [3]float64{0x1p-7 * (1 + 0x1p-9), 0x1p-15 * (1 + 0x1p-7), 0x1p-24 * (1 + 0x1p-7)}[terms-One]
	if table == exactKind {
		split = [3]float64{0x1p-8, 0x1p-17, 0}[terms-One]
	}
	sums := float64(depth + 1)
	switch {
	case unit == "amx":
		sums = float64(depth*products)/32 + 18
	case unit == "emulated" || unit == "avx512bf16" && terms <= paneledTerms[avx512bf16]:
		sums = float64(depth*products + 1)
	default:
		split = 0
	}
	return split + 1.01*sums*0x1p-24
}

// eachUnit runs a test on all units of this machine, on the emulation of amx, and on avx512bf16 with panels for
// any number of terms.
func eachUnit(t *testing.T, test func(t *testing.T, unit string)) {
	t.Cleanup(func() { chosen.Store(0) })
	for _, unit := range Units() {
		require.NoError(t, Use(unit))
		t.Run(unit, func(t *testing.T) { test(t, unit) })
	}
	emulate(t, test)
	if Use("avx512bf16") == nil {
		paneledTerms[avx512bf16] = Three
		t.Cleanup(func() { paneledTerms[avx512bf16] = One })
		t.Run("panels", func(t *testing.T) { test(t, "avx512bf16") })
	}
}

// emulate runs a test on the emulation of amx.
func emulate(t *testing.T, test func(t *testing.T, unit string)) {
	t.Cleanup(func() { chosen.Store(0) })
	chosen.Store(int32(emulated) + 1)
	t.Run("emulation", func(t *testing.T) { test(t, "emulated") })
}

// eachInteger runs a test on amx, if the machine has it, and on its emulation.
func eachInteger(t *testing.T, test func(t *testing.T, unit string)) {
	if HasIntegers() {
		t.Run(Unit(), func(t *testing.T) { test(t, Unit()) })
	}
	emulate(t, test)
}

// exactly returns in float64 the element Σ_l a[l]·b[l] of a matrix product, for a row of one matrix and a
// column of the other, and the sum of the absolute values of its terms, to which errors are relative.
func exactly(a, b []float32) (sum, size float64) {
	for l, x := range a {
		term := float64(x) * float64(b[l])
		sum += term
		size += math.Abs(term)
	}
	return sum, size
}

// TestProducts compares products with sums in float64, for sizes around the edges of tiles, panels and steps,
// both kinds of numbers, all numbers of terms, both layouts of each matrix, and the three products. Numbers
// between the rows of the product must not change. By default each size has one number of terms and kind of
// numbers.
func TestProducts(t *testing.T) {
	sizes := [][3]int{{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {1, 1, 1}, {32, 32, 32}, {64, 160, 64}, {129, 70, 300}, {33, 300, 66}}
	edges := []int{1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 48, 63, 65, 100}
	for i, m := range edges {
		for j, n := range edges {
			sizes = append(sizes, [3]int{m, n, edges[(3*i+5*j)%len(edges)]})
		}
	}
	eachUnit(t, func(t *testing.T, unit string) {
		rng := rand.New(rand.NewPCG(1, 2))
		for i, size := range sizes {
			for terms := One; terms <= Three; terms++ {
				for k := range kind(2) {
					if !long.Tests() && i%6 != 2*int(terms-One)+int(k) {
						continue
					}
					way := i + int(terms) + int(k) + rng.IntN(8)
					checkProduct(t, rng, unit, terms, k, size, way&1 != 0, way&2 != 0, rng.IntN(3))
				}
			}
		}
	})
}

func checkProduct(t *testing.T, rng *rand.Rand, unit string, terms Terms, k kind, size [3]int, columnsOfA, columnsOfB bool, apart int) {
	t.Helper()
	m, n, depth := size[0], size[1], size[2]
	name := fmt.Sprintf("%d×%d×%d %s, %d terms, by columns %t and %t", m, n, depth, k, terms, columnsOfA, columnsOfB)
	a := draw(rng, k, m, depth, apart, columnsOfA)
	b := draw(rng, anyKind, n, depth, apart, !columnsOfB)
	var left Left
	var right Right
	// Reused memory holds other numbers.
	left.Pack(draw(rng, anyKind, 40, 70, 0, false).Matrix, Three)
	right.Pack(draw(rng, anyKind, 40, 70, 0, false).Matrix, Three)
	left.Pack(a.Matrix, terms)
	right.Pack(b.Matrix.T(), terms)
	const mark = float32(1234.5)
	for way, multiply := range []func([]float32, int, *Left, *Right){Mul, MulAdd, MulT} {
		rows, cols := m, n
		if way == 2 {
			rows, cols = n, m
		}
		stride := cols + apart
		c := make([]float32, rows*stride+1)
		for i := range c {
			c[i] = mark
		}
		multiply(c, stride, &left, &right)
		for at, got := range c {
			i, j := at/max(1, stride), at%max(1, stride)
			if i >= rows || j >= cols {
				if got != mark {
					t.Fatalf("%s, way %d: wrote to %d beyond a row", name, way, at)
				}
				continue
			}
			if way == 2 {
				i, j = j, i
			}
			want, scale := exactly(a.lines[i], b.lines[j])
			if way == 1 {
				want += float64(mark)
				scale += float64(mark)
			}
			if !(math.Abs(float64(got)-want) <= scale*bound(unit, terms, k, depth)) {
				t.Fatalf("%s, way %d: row %d, column %d is %v, want %v, off by %.3g of %.3g of the sizes", name, way, i, j, got, want,
					math.Abs(float64(got)-want)/scale, bound(unit, terms, k, depth))
			}
		}
	}
}
