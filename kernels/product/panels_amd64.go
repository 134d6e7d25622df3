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
	if m.half != nil {
		packTiles(p, m, m.half, &p.narrow, 2)
	} else {
		packTiles(p, m, m.wide, &p.wide, 4)
	}
	if right == m.transposed {
		return
	}
	for lines := range 2 * p.count {
		for step := range p.steps {
			for term := range p.terms {
				tile := (*float32)(unsafe.Pointer(&p.data[p.tile(lines, step)+term*termSize]))
				kernel.Transpose(tile, tile, tileRow, tileRow)
			}
		}
	}
}

// packTiles makes tiles of x, the numbers of m, of that many bytes each. It goes along
// the numbers as they lie.
func packTiles[T float32 | uint16](p *panels, m *Matrix, x []T, edge *[tileSize]T, bytes int) {
	lines, steps := m.rows/tileLines, m.cols/stepDepth // without an edge
	if m.transposed {
		for step := range steps {
			for half := range min(2, lines) {
				at := unsafe.Pointer(&x[step*stepDepth*m.stride+half*tileLines])
				p.convert(m, at, half, step, tile{bytes * m.stride, 16 * bytes * m.stride}, run{(lines - half + 1) / 2, panelLines * bytes, 2 * p.steps * p.stepSize()})
			}
		}
	} else if steps > 0 {
		for i := range lines {
			at := unsafe.Pointer(&x[i*tileLines*m.stride])
			p.convert(m, at, i, 0, tile{bytes * m.stride, 16 * bytes}, run{steps, stepDepth * bytes, 2 * p.stepSize()})
		}
	}
	for i := range 2 * p.count {
		first := 0
		if i < lines {
			first = steps
		}
		for step := first; step < p.steps; step++ {
			packEdge(p, m, x, edge, bytes, i, step)
		}
	}
}

// packEdge packs a step of 16 lines that is not all there.
func packEdge[T float32 | uint16](p *panels, m *Matrix, x []T, edge *[tileSize]T, bytes, lines, step int) {
	clear(edge[:])
	i, l := lines*tileLines, step*stepDepth
	height, width := min(tileLines, m.rows-i), min(stepDepth, m.cols-l)
	if m.transposed {
		for k := range width {
			if height > 0 {
				copy(edge[k*tileLines:], x[(l+k)*m.stride+i:][:height])
			}
		}
		p.convert(m, unsafe.Pointer(edge), lines, step, tile{tileLines * bytes, 16 * tileLines * bytes}, run{count: 1})
		return
	}
	for k := range height {
		copy(edge[k*stepDepth:], x[(i+k)*m.stride+l:][:width])
	}
	p.convert(m, unsafe.Pointer(edge), lines, step, tile{stepDepth * bytes, 16 * bytes}, run{count: 1})
}

// A tile says how the numbers of one lie: how many bytes it is from row to row, and
// from the first number of a pair to the second.
type tile struct{ row, pair int }

// A run says how many tiles there are, and how many bytes it is from the numbers of one
// to those of the next, and from tile to tile.
type run struct{ count, from, to int }

// convert makes a run of tiles of the numbers at x, the first one that of 16 lines and a
// step.
func (p *panels) convert(m *Matrix, x unsafe.Pointer, lines, step int, t tile, r run) {
	dst := &p.data[p.tile(lines, step)]
	switch {
	case m.half == nil && p.terms == 1:
		kernel.PackFloat32x1(dst, (*float32)(x), t.row, t.pair, r.from, r.to, r.count)
	case m.half == nil && p.terms == 2:
		kernel.PackFloat32x2(dst, (*float32)(x), t.row, t.pair, r.from, r.to, r.count)
	case m.half == nil:
		kernel.PackFloat32x3(dst, (*float32)(x), t.row, t.pair, r.from, r.to, r.count)
	case m.float16 && p.terms == 1:
		kernel.PackFloat16x1(dst, (*uint16)(x), t.row, t.pair, r.from, r.to, r.count)
	case m.float16:
		kernel.PackFloat16x2(dst, (*uint16)(x), t.row, t.pair, r.from, r.to, r.count)
	default:
		kernel.PackBFloat16x1(dst, (*uint16)(x), t.row, t.pair, r.from, r.to, r.count)
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
