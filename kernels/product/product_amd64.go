//go:build amd64 && !noasm

package product

import (
	"sync"

	kernel "github.com/efoc/efoc/kernels/internal/amx"
)

// blockPanels is the number of panels of columns that are buffered together.
const blockPanels = 4

// buffer holds 32 rows of a product that need further processing, and the pairs of terms to multiply, as byte
// offsets in a step.
type buffer struct {
	numbers []float32
	pairs   [6][2]int
}

// buffers are pooled, because clearing one takes as long as a small product.
var buffers = sync.Pool{New: func() any {
	return &buffer{numbers: aligned[float32](nil, panelLines*blockPanels*panelLines)}
}}

// setPairs lists the pairs of terms to multiply, and returns their number.
func (b *buffer) setPairs(x, y *panels, most Terms) (count int) {
	for order := range int(most) {
		for i := range order + 1 {
			if j := order - i; i < x.terms && j < y.terms {
				b.pairs[count] = [2]int{2 * termSize * i, 2 * termSize * j}
				count++
			}
		}
	}
	return count
}

// multiplyPanels multiplies operands packed in panels.
func multiplyPanels(c []float32, stride int, x, y *operand, to mode) {
	a := &x.panels
	b := &y.panels
	aSize := a.steps * a.stepSize()
	bSize := b.steps * b.stepSize()
	room := buffers.Get().(*buffer)
	defer buffers.Put(room)
	part := room.numbers
	count := room.setPairs(a, b, x.most)
	multiply := kernel.PanelsDP
	if inUse() == amx {
		multiply = kernel.Panels
	}
	product := func(c []float32, stride, i, j, panels int, add bool) {
		flag := 0
		if add {
			flag = 1
		}
		pa := &a.data[i*aSize]
		pb := &b.data[j*bSize]
		multiply(&c[0], pa, pb, &room.pairs[0], 4*stride, a.steps, 2*a.stepSize(), 2*b.stepSize(), panels, count, flag)
	}
	// A block of panels of b stays in the cache during a pass over a.
	for j := 0; j < b.count; j += blockPanels {
		panels := min(blockPanels, b.count-j)
		cols := min(panels*panelLines, y.lines-j*panelLines)
		for i := range a.count {
			rows := min(panelLines, x.lines-i*panelLines)
			switch {
			case to.transposed:
				width := panels * panelLines
				product(part, width, i, j, panels, false)
				transposePart(c[j*panelLines*stride+i*panelLines:], stride, part, width, rows, cols)
			case rows < panelLines || cols < panels*panelLines:
				at := i*panelLines*stride + j*panelLines
				width := panels * panelLines
				for r := 0; r < rows && to.add; r++ {
					copy(part[r*width:], c[at+r*stride:][:cols])
				}
				product(part, width, i, j, panels, to.add)
				for r := range rows {
					copy(c[at+r*stride:][:cols], part[r*width:])
				}
			default:
				product(c[i*panelLines*stride+j*panelLines:], stride, i, j, panels, to.add)
			}
		}
	}
}

// transposePart sets c to the transpose of the rows by cols numbers in part.
func transposePart(c []float32, stride int, part []float32, width, rows, cols int) {
	const tile = tileLines
	var edge [tile * tile]float32
	for j := 0; j < cols; j += tile {
		for i := 0; i < rows; i += tile {
			high := min(tile, cols-j)
			wide := min(tile, rows-i)
			if high < tile || wide < tile {
				kernel.Transpose(&edge[0], &part[i*width+j], 4*tile, 4*width)
				for k := range high {
					copy(c[(j+k)*stride+i:][:wide], edge[k*tile:])
				}
				continue
			}
			kernel.Transpose(&c[j*stride+i], &part[i*width+j], 4*stride, 4*width)
		}
	}
}
