//go:build amd64 && !noasm

package product

import (
	"unsafe"

	kernel "github.com/efoc/efoc/kernels/bf16"
)

// The layout of panels. A panel has 32 lines, cut into steps of depth 32. Of each step
// there is a pair of tiles for each term, for 16 lines each. A tile is 16 by 16 pairs
// of numbers, of depths that are 16 apart: of a Left its rows are lines and its columns
// pairs, of a Right its rows are pairs and its columns lines. What is beyond the end
// is zero.
const (
	panelLines = 32
	stepDepth  = 32
	tileLines  = 16
	tileSize   = 512          // numbers in a tile
	termSize   = 2 * tileSize // in a pair of tiles
	tileRow    = 64           // bytes in a row of a tile
)

// panels are the lines of an operand as bfloat16 numbers.
type panels struct {
	count, steps, terms int
	data                []uint16
	narrow              [tileSize]uint16  // a tile's numbers at an edge
	wide                [tileSize]float32 // the same, of float32 numbers
}

// stepSize returns the numbers in a step of a panel.
func (p *panels) stepSize() int { return p.terms * termSize }

// tile returns where the tile of the first term is, of 16 lines and a step.
func (p *panels) tile(lines, step int) int {
	return (lines/2*p.steps+step)*p.stepSize() + lines%2*tileSize
}

// pack makes panels of the rows of m.
func (p *panels) pack(m *Matrix, most Terms, right bool) {
	p.count, p.steps, p.terms = (m.rows+panelLines-1)/panelLines, (m.cols+stepDepth-1)/stepDepth, m.terms(most)
	p.data = aligned(p.data, p.count*p.steps*p.stepSize())
	if p.steps == 0 {
		return
	}
	for lines := range 2 * p.count {
		there := min(tileLines, m.rows-lines*tileLines)
		whole := 0 // steps without an edge
		if there == tileLines {
			whole = m.cols / stepDepth
		}
		if whole > 0 {
			if m.half != nil {
				packWhole(p, m, m.half, 2, lines, whole)
			} else {
				packWhole(p, m, m.wide, 4, lines, whole)
			}
		}
		for step := whole; step < p.steps; step++ {
			if m.half != nil {
				packEdge(p, m, m.half, &p.narrow, 2, lines, step)
			} else {
				packEdge(p, m, m.wide, &p.wide, 4, lines, step)
			}
		}
		if right != m.transposed {
			for step := range p.steps {
				for term := range p.terms {
					tile := (*float32)(unsafe.Pointer(&p.data[p.tile(lines, step)+term*termSize]))
					kernel.Transpose(tile, tile, tileRow, tileRow)
				}
			}
		}
	}
}

// packWhole packs the first steps of 16 lines, which are whole, and of numbers of that
// many bytes.
func packWhole[T float32 | uint16](p *panels, m *Matrix, x []T, bytes, lines, steps int) {
	first, next := lines*tileLines*m.stride, 1
	if m.transposed {
		first, next = lines*tileLines, m.stride
	}
	p.convert(m, unsafe.Pointer(&x[first]), lines, 0, bytes*m.stride, 16*bytes*next, stepDepth*bytes*next, steps)
}

// packEdge packs a step of 16 lines that is not all there.
func packEdge[T float32 | uint16](p *panels, m *Matrix, x []T, edge *[tileSize]T, bytes, lines, step int) {
	clear(edge[:])
	i, l := lines*tileLines, step*stepDepth
	height, width := min(tileLines, m.rows-i), min(stepDepth, m.cols-l)
	if m.transposed {
		for k := range width {
			if height > 0 {
				copy(edge[k*tileLines:], x[(l+k)*m.stride+i:(l+k)*m.stride+i+height])
			}
		}
		p.convert(m, unsafe.Pointer(edge), lines, step, tileLines*bytes, 16*tileLines*bytes, 0, 1)
		return
	}
	for k := range height {
		copy(edge[k*stepDepth:], x[(i+k)*m.stride+l:(i+k)*m.stride+l+width])
	}
	p.convert(m, unsafe.Pointer(edge), lines, step, stepDepth*bytes, 16*bytes, 0, 1)
}

// convert makes tiles of some steps of 16 lines. Distances are in bytes.
func (p *panels) convert(m *Matrix, x unsafe.Pointer, lines, step, line, pair, next, steps int) {
	dst, dstNext := &p.data[p.tile(lines, step)], 2*p.stepSize()
	switch {
	case m.half == nil && p.terms == 1:
		kernel.PackFloat32x1(dst, (*float32)(x), line, pair, next, dstNext, steps)
	case m.half == nil && p.terms == 2:
		kernel.PackFloat32x2(dst, (*float32)(x), line, pair, next, dstNext, steps)
	case m.half == nil:
		kernel.PackFloat32x3(dst, (*float32)(x), line, pair, next, dstNext, steps)
	case m.float16 && p.terms == 1:
		kernel.PackFloat16x1(dst, (*uint16)(x), line, pair, next, dstNext, steps)
	case m.float16:
		kernel.PackFloat16x2(dst, (*uint16)(x), line, pair, next, dstNext, steps)
	default:
		kernel.PackBFloat16x1(dst, (*uint16)(x), line, pair, next, dstNext, steps)
	}
}

// aligned returns n numbers that start a line of the cache, in the memory of x if that
// is enough.
func aligned(x []uint16, n int) []uint16 {
	if cap(x) >= n {
		return x[:n]
	}
	const line = 64 / 2
	x = make([]uint16, n+line)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x)))/2) & (line - 1)
	return x[skip : skip+n : skip+n]
}
