//go:build amd64 && !noasm

package product

import (
	"unsafe"

	kernel "github.com/efoc/efoc/kernels/internal/amx"
)

// The layout of panels. A panel has 32 lines, cut into steps of depth 32. Of each step
// there is a pair of tiles for each term, for 16 lines each. A tile is 16 by 16 pairs
// of numbers, of depths that are 16 apart: of a Left its rows are lines and its columns
// pairs, of a Right its rows are pairs and its columns lines. What is beyond the end
// is zero.
const (
	panelLines = 32
	stepDepth  = 32

	tileSize = 512          // numbers in a tile
	termSize = 2 * tileSize // in a pair of tiles
	tileRow  = 64           // bytes in a row of a tile

	numberBytes = 4 // of a float32
)

// panels are the lines of an operand as bfloat16 numbers.
type panels struct {
	count, steps, terms int
	data                []uint16
	edge                [tileSize]float32 // a tile's numbers at an edge
}

// stepSize returns the numbers in a step of a panel.
func (p *panels) stepSize() int { return p.terms * termSize }

// tile returns where the tile of the first term is, of 16 lines and a step.
func (p *panels) tile(lines, step int) int {
	return (lines/2*p.steps+step)*p.stepSize() + lines%2*tileSize
}

// bytes returns the memory of the numbers.
func (p *panels) bytes() int64 { return 2 * int64(cap(p.data)) }

// pack makes panels of the rows of m.
func (p *panels) pack(m *Matrix, most Terms, right bool) {
	p.count, p.steps, p.terms = (m.rows+panelLines-1)/panelLines, (m.cols+stepDepth-1)/stepDepth, m.terms(most)
	p.data = aligned(p.data, p.count*p.steps*p.stepSize())
	if p.steps == 0 {
		return
	}
	p.packTiles(m)
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

// packTiles makes tiles of the numbers of m. It reads them as they lie.
func (p *panels) packTiles(m *Matrix) {
	x := m.numbers
	lines := m.rows / tileLines
	steps := m.cols / stepDepth // without an edge
	stride := numberBytes * m.stride
	for i := 0; i < lines && steps > 0 && !m.transposed; i++ {
		// The lines of the next tiles are fetched: a table comes from memory, and rows of it
		// are too short to be seen coming.
		p.convert(&x[i*tileLines*m.stride], i, 0, 16*numberBytes, tileLines*stride,
			rows{tileLines, stride, tileRow}, rows{steps, stepDepth * numberBytes, 2 * p.stepSize()})
	}
	for step := 0; step < steps && m.transposed; step++ {
		for i := 0; i < lines; i += 2 {
			p.convert(&x[step*stepDepth*m.stride+i*tileLines], i, step, 16*stride, 0,
				rows{tileLines, stride, tileRow}, rows{min(2, lines-i), tileLines * numberBytes, 2 * tileSize})
		}
	}
	for i := range 2 * p.count {
		first := 0
		if i < lines {
			first = steps
		}
		for step := first; step < p.steps; step++ {
			p.packEdge(m, i, step)
		}
	}
}

// packEdge packs a step of 16 lines that is not all there.
func (p *panels) packEdge(m *Matrix, lines, step int) {
	x := m.numbers
	edge := &p.edge
	clear(edge[:])
	i := lines * tileLines
	l := step * stepDepth
	height := min(tileLines, m.rows-i)
	width := min(stepDepth, m.cols-l)
	if m.transposed {
		for k := range width {
			if height > 0 {
				copy(edge[k*tileLines:], x[(l+k)*m.stride+i:][:height])
			}
		}
		p.convert(&edge[0], lines, step, 16*tileLines*numberBytes, 0, rows{tileLines, tileLines * numberBytes, tileRow}, rows{count: 1})
		return
	}
	for k := range height {
		copy(edge[k*stepDepth:], x[(i+k)*m.stride+l:][:width])
	}
	p.convert(&edge[0], lines, step, 16*numberBytes, 0, rows{tileLines, stepDepth * numberBytes, tileRow}, rows{count: 1})
}

// rows has a count of rows of tiles, or of runs of them, and two distances in bytes between
// neighbours: of their numbers (from), and of their places in tiles (to).
type rows struct{ count, from, to int }

// convert makes runs of rows of tiles from the numbers at x. The first row belongs to 16 lines and a
// step. The second number of a pair is pair bytes behind the first, and the numbers ahead bytes behind
// a row are fetched meanwhile.
func (p *panels) convert(x *float32, lines, step, pair, ahead int, r, runs rows) {
	dst := &p.data[p.tile(lines, step)]
	switch p.terms {
	case 1:
		kernel.Pack1(dst, x, pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	case 2:
		kernel.Pack2(dst, x, pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	default:
		kernel.Pack3(dst, x, pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	}
}

// aligned returns n numbers that start a line of the cache, in the memory of x if that
// is enough.
func aligned[T uint16 | float32](x []T, n int) []T {
	if cap(x) >= n {
		return x[:n]
	}
	size := unsafe.Sizeof(T(0))
	line := int(64 / size)
	x = make([]T, n+line)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x)))/size) & (line - 1)
	return x[skip : skip+n : skip+n]
}
