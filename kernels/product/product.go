package product

import (
	"fmt"

	"github.com/efoc/efoc/kernels/half"
	"github.com/efoc/efoc/kernels/simd"
)

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

// multiplyPlain multiplies in float32.
func multiplyPlain(c []float32, stride int, x, y *operand, to mode) {
	a := &x.plain
	b := &y.plain
	if to.transposed && a.rows != nil && b.rows != nil && stride == x.lines {
		simd.GemmNT(c, b.rows, a.rows, y.lines, x.lines, x.depth)
		return
	}
	whole := y.lines / lanes * lanes
	if to.transposed {
		for j := 0; j < whole; j += lanes {
			a.columns(x.lines, c, stride, j, lanes, x.depth, b.data[j:], b.depth, to)
		}
	} else if whole > 0 {
		if !to.add {
			for i := range x.lines {
				clear(c[i*stride : i*stride+whole])
			}
		}
		simd.Gemm(c, a.data, b.data, x.lines, whole, x.depth, stride, a.line, a.depth, b.depth)
	}
	if whole < y.lines {
		a.columns(x.lines, c, stride, whole, y.lines-whole, x.depth, b.edge, b.edgeDepth, to)
	}
}

// multiplySplit multiplies split operands: it adds the products of terms of sufficiently small order.
func multiplySplit(c []float32, stride int, x, y *operand, to mode) {
	for i := range x.lines {
		for j := range y.lines {
			at := i*stride + j
			if to.transposed {
				at = j*stride + i
			}
			sum := float32(0)
			if to.add {
				sum = c[at]
			}
			for order := range int(x.most) {
				for k := max(0, order-y.split.terms+1); k <= min(order, x.split.terms-1); k++ {
					b := y.split.line(order-k, j)
					for l, a := range x.split.line(k, i) {
						sum += half.BFloat16(a) * half.BFloat16(b[l])
					}
				}
			}
			c[at] = sum
		}
	}
}
