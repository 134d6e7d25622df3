package product

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// kind is a way to store the numbers of a matrix.
type kind int

const (
	float32Kind kind = iota
	float16Kind
	bfloat16Kind
)

func (k kind) String() string { return [...]string{"float32", "float16", "bfloat16"}[k] }

// matrix is a Matrix with its numbers, line by line.
type matrix struct {
	Matrix
	lines [][]float32
}

// draw returns a matrix of a kind, whose lines are its rows; transposed says how they
// lie, apart how many numbers lie between them.
func draw(rng *rand.Rand, k kind, rows, cols, apart int, transposed bool) matrix {
	long, wide := rows, cols
	if transposed {
		long, wide = cols, rows
	}
	stride := wide + apart
	// Numbers beyond the matrix must not matter.
	x, half := make([]float32, long*stride), make([]uint16, long*stride)
	for i := range x {
		v := float32(rng.NormFloat64() * math.Exp(2*rng.NormFloat64()))
		if i%stride >= wide {
			v = float32(math.NaN())
		}
		switch k {
		case float16Kind:
			half[i] = ref.ToF16(v)
			v = ref.F16(half[i])
		case bfloat16Kind:
			half[i] = ref.ToBF16(v)
			v = ref.BF16(half[i])
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
	switch k {
	case float32Kind:
		m.Matrix = Of(x, long, wide, stride)
	case float16Kind:
		m.Matrix = OfFloat16(half, long, wide, stride)
	case bfloat16Kind:
		m.Matrix = OfBFloat16(half, long, wide, stride)
	}
	if transposed {
		m.Matrix = m.T()
	}
	return m
}

// bound returns the error of the package comment, relative to the sum of the absolute
// products. The sums have a hundredth more, for the terms of second order.
func bound(unit string, terms Terms, table kind, depth int) float64 {
	products := [3][3]int{{1, 3, 6}, {1, 3, 5}, {1, 2, 3}}[table][terms-1]
	split := [3]float64{0x1p-7 * (1 + 0x1p-9), 0x1p-15 * (1 + 0x1p-7), 0x1p-24 * (1 + 0x1p-7)}[terms-1]
	if table == bfloat16Kind {
		split = [3]float64{0x1p-8, 0x1p-17, 0}[terms-1]
	}
	sums := float64(depth + 1)
	switch {
	case unit == "amx":
		sums = float64(depth*products)/32 + 18
	case unit == "bf16" && terms == One:
		sums = float64(depth*products) + 1
	default:
		split = 0
	}
	return split + 1.01*sums*0x1p-24
}

// eachUnit runs a test on all units of this machine.
func eachUnit(t *testing.T, test func(t *testing.T, unit string)) {
	best := Unit()
	t.Cleanup(func() {
		if err := Use(best); err != nil {
			t.Error(err)
		}
	})
	for _, unit := range Units() {
		if err := Use(unit); err != nil {
			t.Fatal(err)
		}
		t.Run(unit, func(t *testing.T) { test(t, unit) })
	}
}

// TestProducts compares products with sums in float64, for sizes around the edges of
// tiles, panels and steps, all kinds of tables and numbers of terms, both ways in which
// each matrix may lie, and the three ways to take the product. What lies between the
// rows of the product must stay.
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
				for k := range kind(3) {
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
	b := draw(rng, float32Kind, n, depth, apart, !columnsOfB)
	var left Left
	var right Right
	// Memory that is used again holds other numbers.
	left.Pack(draw(rng, float32Kind, 40, 70, 0, false).Matrix, Three)
	right.Pack(draw(rng, float32Kind, 40, 70, 0, false).Matrix, Three)
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
			want, scale := ref.Product(a.lines[i], b.lines[j])
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
