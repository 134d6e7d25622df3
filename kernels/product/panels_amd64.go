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

	tileSize = 512          // numbers in a tile
	termSize = 2 * tileSize // in a pair of tiles
	tileRow  = 64           // bytes in a row of a tile
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

// bytes returns the memory of the numbers.
func (p *panels) bytes() int64 { return 2 * int64(cap(p.data)) }

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

// packTiles makes tiles of x, the numbers of m, of that many bytes each. It reads them
// as they lie.
func packTiles[T float32 | uint16](p *panels, m *Matrix, x []T, edge *[tileSize]T, bytes int) {
	lines, steps := m.rows/tileLines, m.cols/stepDepth // without an edge
	stride := bytes * m.stride
	for i := 0; i < lines && steps > 0 && !m.transposed; i++ {
		// The lines of the next tiles are fetched: a table comes from memory, and rows of it
		// are too short to be seen coming.
		p.convert(m, unsafe.Pointer(&x[i*tileLines*m.stride]), i, 0, 16*bytes, tileLines*stride,
			rows{tileLines, stride, tileRow}, rows{steps, stepDepth * bytes, 2 * p.stepSize()})
	}
	for step := 0; step < steps && m.transposed; step++ {
		for i := 0; i < lines; i += 2 {
			p.convert(m, unsafe.Pointer(&x[step*stepDepth*m.stride+i*tileLines]), i, step, 16*stride, 0,
				rows{tileLines, stride, tileRow}, rows{min(2, lines-i), tileLines * bytes, 2 * tileSize})
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
		p.convert(m, unsafe.Pointer(edge), lines, step, 16*tileLines*bytes, 0, rows{tileLines, tileLines * bytes, tileRow}, rows{count: 1})
		return
	}
	for k := range height {
		copy(edge[k*stepDepth:], x[(i+k)*m.stride+l:][:width])
	}
	p.convert(m, unsafe.Pointer(edge), lines, step, 16*bytes, 0, rows{tileLines, stepDepth * bytes, tileRow}, rows{count: 1})
}

// rows says how many rows of tiles there are, or runs of them, and how many bytes it is
// from the numbers of one to those of the next, and from place to place.
type rows struct{ count, from, to int }

// convert makes runs of rows of tiles from the numbers at x. The first row is that of 16
// lines and a step; the second number of a pair is that many bytes behind the first, and
// what lies ahead bytes behind a row is fetched meanwhile.
func (p *panels) convert(m *Matrix, x unsafe.Pointer, lines, step, pair, ahead int, r, runs rows) {
	dst := &p.data[p.tile(lines, step)]
	switch {
	case m.half == nil && p.terms == 1:
		kernel.PackFloat32x1(dst, (*float32)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	case m.half == nil && p.terms == 2:
		kernel.PackFloat32x2(dst, (*float32)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	case m.half == nil:
		kernel.PackFloat32x3(dst, (*float32)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	case m.float16 && p.terms == 1:
		kernel.PackFloat16x1(dst, (*uint16)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	case m.float16:
		kernel.PackFloat16x2(dst, (*uint16)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
	default:
		kernel.PackBFloat16x1(dst, (*uint16)(x), pair, ahead, r.count, r.from, r.to, runs.count, runs.from, runs.to)
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
