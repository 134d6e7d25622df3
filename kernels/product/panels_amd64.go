//go:build amd64 && !noasm

package product

import (
	"unsafe"

	kernel "github.com/efoc/efoc/kernels/internal/amx"
)

// The layout of panels. A panel has 32 lines, cut into steps of depth 32. Each step has a pair of tiles for
// each term, one tile for 16 lines. A tile is 16 by 16 pairs of numbers whose depths are 16 apart: in a Left
// its rows are lines and its columns pairs, in a Right its rows are pairs and its columns lines. Entries beyond
// the end are zero.
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

// stepSize returns the number of numbers in a step of a panel.
func (p *panels) stepSize() int { return p.terms * termSize }

// tile returns the offset of the tile of the first term, for 16 lines and a step.
func (p *panels) tile(lines, step int) int {
	return (lines/2*p.steps+step)*p.stepSize() + lines%2*tileSize
}

// bytes returns the size of the numbers in memory.
func (p *panels) bytes() int64 { return 2 * int64(cap(p.data)) }

// pack packs the rows of m into panels.
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

// packTiles packs the numbers of m, which it reads in place, into tiles.
func (p *panels) packTiles(m *Matrix) {
	x := m.numbers
	lines := m.rows / tileLines
	steps := m.cols / stepDepth // excluding an edge
	stride := numberBytes * m.stride
	for i := 0; i < lines && steps > 0 && !m.transposed; i++ {
		// Prefetch the lines of the next tiles: a table comes from memory, and its rows are too short for the hardware
		// prefetcher.
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

// packEdge packs an incomplete step of 16 lines.
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

// rows is a number of rows of tiles, or of runs of them, and the distances in bytes between neighbours, in the
// source (from) and in the tiles (to).
type rows struct{ count, from, to int }

// convert packs the numbers at x into runs of rows of tiles. The first row belongs to the given 16 lines and
// step. The second number of a pair is pair bytes after the first; convert prefetches the numbers ahead bytes
// after a row.
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

// aligned returns n numbers aligned to a cache line, in the memory of x if that suffices.
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
