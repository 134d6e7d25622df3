package product

import (
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// simd.Gemm requires the number of columns to be a multiple of lanes.
const lanes = 16

// plain is an operand in float32. Number l of line i is data[i*line+l*depth]; of a
// Right, line is 1.
type plain struct {
	data        []float32
	line, depth int
	// rows are the lines, if they are contiguous in float32.
	rows []float32
	// edge has the last lines of a Right, fewer than lanes, padded with arbitrary numbers: number l of line i is
	// edge[l*edgeDepth+i].
	edge      []float32
	edgeDepth int
	copied    []float32 // memory for numbers of a Right that must be rearranged
}

// packLeft packs the rows of m into p.
func (p *plain) packLeft(m *Matrix) {
	p.view(m)
	if m.transposed {
		p.data = m.numbers
		p.line = 1
		p.depth = m.stride
	} else {
		p.data = m.numbers
		p.line = m.stride
		p.depth = 1
	}
}

// packRight packs the rows of m, which become columns, into p.
func (p *plain) packRight(m *Matrix) {
	p.view(m)
	whole := m.rows / lanes * lanes
	p.line = 1
	if m.transposed {
		p.data = m.numbers
		p.depth = m.stride
		p.edge = nil
		p.edgeDepth = lanes
		if whole < m.rows {
			p.copied = reuse.Slice(p.copied, m.cols*lanes)
			clear(p.copied)
			for l := range m.cols {
				copy(p.copied[l*lanes:], m.numbers[l*m.stride+whole:l*m.stride+m.rows])
			}
			p.edge = p.copied
		}
		return
	}
	p.depth = (m.rows + lanes - 1) / lanes * lanes
	p.copied = reuse.Slice(p.copied, m.cols*p.depth)
	clear(p.copied)
	for i := range m.rows {
		for l, v := range m.numbers[i*m.stride : i*m.stride+m.cols] {
			p.copied[l*p.depth+i] = v
		}
	}
	p.data = p.copied
	p.edge = p.data[min(whole, len(p.data)):]
	p.edgeDepth = p.depth
}

// view sets rows if the rows of m are contiguous.
func (p *plain) view(m *Matrix) {
	p.rows = nil
	if !m.transposed && m.stride == m.cols {
		p.rows = m.numbers
	}
}

// columns computes the columns of a product from j on, through a buffer. b holds these columns, with stride
// next between depths.
func (p *plain) columns(lines int, c []float32, stride, j, cols, depth int, b []float32, next int, to mode) {
	const rows = 64
	var buffer [rows * lanes]float32
	for i := 0; i < lines; i += rows {
		n := min(rows, lines-i)
		part := buffer[:n*lanes]
		clear(part)
		for r := 0; r < n && to.add; r++ {
			copy(part[r*lanes:], c[(i+r)*stride+j:][:cols])
		}
		simd.Gemm(part, p.data[i*p.line:], b, n, lanes, depth, lanes, p.line, p.depth, next)
		for r := range n {
			if !to.transposed {
				copy(c[(i+r)*stride+j:][:cols], part[r*lanes:])
				continue
			}
			for k, v := range part[r*lanes : r*lanes+cols] {
				c[(j+k)*stride+i+r] = v
			}
		}
	}
}
