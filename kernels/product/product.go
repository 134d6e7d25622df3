package product

import "fmt"

// mode says how a product is stored.
type mode struct {
	add        bool // the product is added to c
	transposed bool // c holds the transpose
}

// Mul computes c = a·b. Row i of c starts at c[i*stride]; numbers between the rows are unchanged.
func Mul(c []float32, stride int, a *Left, b *Right) { multiply(c, stride, a, b, mode{}) }

// MulAdd computes c += a·b. Row i of c starts at c[i*stride]; numbers between the rows are unchanged.
func MulAdd(c []float32, stride int, a *Left, b *Right) { multiply(c, stride, a, b, mode{add: true}) }

// MulT computes c = (a·b)ᵀ: column j of the product starts at c[j*stride]. Numbers between the columns are
// unchanged.
func MulT(c []float32, stride int, a *Left, b *Right) {
	multiply(c, stride, a, b, mode{transposed: true})
}

func multiply(c []float32, stride int, a *Left, b *Right, to mode) {
	x := &a.operand
	y := &b.operand
	if x.depth != y.depth || x.most != y.most || x.paneled != y.paneled {
		panic(fmt.Sprintf("product: operands of depths %d and %d, of %d and %d terms, packed for units that differ: %t",
			x.depth, y.depth, x.most, y.most, x.paneled != y.paneled))
	}
	rows := x.lines
	cols := y.lines
	if to.transposed {
		rows, cols = cols, rows
	}
	check(len(c), rows, cols, stride)
	if rows == 0 || cols == 0 {
		return
	}
	if x.depth == 0 {
		for i := range rows {
			if !to.add {
				clear(c[i*stride : i*stride+cols])
			}
		}
		return
	}
	switch {
	case x.paneled && inUse() == emulated:
		multiplySplit(c, stride, x, y, to)
	case x.paneled:
		multiplyPanels(c, stride, x, y, to)
	default:
		multiplyPlain(c, stride, x, y, to)
	}
}
