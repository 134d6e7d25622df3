package main

import (
	"fmt"
	"iter"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemm writes the register tiles of matrix products, for several numbers of
// queries. Package avx512 has room for 24 accumulators, avx2 for 12.
func (s isa) gemm() {
	rows := 4
	widths := []int{6, 4, 2, 1}
	if !s.wide() {
		rows = 3
		widths = widths[1:]
	}
	for _, q := range widths {
		s.dotTile(rows, q)
	}
}

// spaced returns the addresses of n rows that are stride bytes apart, three to
// a pointer.
func spaced(base, stride reg.GPVirtual, n int) (pointers []reg.GPVirtual, address func(i, disp int) Mem) {
	triple := GP64()
	if n > 3 {
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, triple)
	}
	for i := 0; i < n; i += 3 {
		p := GP64()
		if i == 0 {
			MOVQ(base, p)
		} else {
			LEAQ(Mem{Base: pointers[len(pointers)-1], Index: triple, Scale: 1}, p)
		}
		pointers = append(pointers, p)
	}
	return pointers, func(i, disp int) Mem {
		m := Mem{Base: pointers[i/3], Disp: disp}
		if i%3 > 0 {
			m.Index, m.Scale = stride, uint8(i%3)
		}
		return m
	}
}

// dotTile writes the products of rows with a fixed number of queries: each accumulator is for one row and
// query, and its lanes are added at the end.
func (s isa) dotTile(most, queries int) {
	name := fmt.Sprintf("dotTile%d", queries)
	define(name, "func(c, a, b *float32, rows, depth, stride, cols int)",
		fmt.Sprintf("%s computes c[i*cols+j] += Σ_l a[i*stride+l]·b[j*stride+l] for j < %d, where", name, queries),
		"i < rows and l < depth.")
	c := argument("c")
	a := argument("a")
	b := argument("b")
	n := argument("rows")
	depth := argument("depth")
	stride := argument("stride")
	SHLQ(U8(2), stride)
	rest := GP64()
	MOVQ(depth, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	t := s.tail(rest)
	ANDQ(I32(-2*s.lanes), depth)

	block := func(rows int) {
		label := func(name string) string { return fmt.Sprintf("%s%d", name, rows) }
		Label(label("rows"))
		CMPQ(n, I32(rows))
		JL(LabelRef(label("done")))
		as, rowAt := spaced(a, stride, rows)
		bs, queryAt := spaced(b, stride, queries)
		sums := make([][]reg.VecVirtual, rows)
		for r := range sums {
			sums[r] = s.zeros(queries)
		}
		step := func(disp int, load func(m Mem, v reg.VecVirtual)) {
			values := s.vecs(rows)
			for r, v := range values {
				load(rowAt(r, disp), v)
			}
			for q := range queries {
				v := s.vec()
				load(queryAt(q, disp), v)
				for r, row := range values {
					VFMADD231PS(row, v, sums[r][q])
				}
			}
		}
		l := GP64()
		MOVQ(depth, l)
		TESTQ(l, l)
		JE(LabelRef(label("tail")))
		Label(label("columns"))
		for turn := range 2 {
			step(turn*4*s.lanes, func(m Mem, v reg.VecVirtual) { VMOVUPS(m, v) })
		}
		for _, p := range append(as, bs...) {
			ADDQ(I32(2*4*s.lanes), p)
		}
		SUBQ(I32(2*s.lanes), l)
		JNE(LabelRef(label("columns")))
		Label(label("tail"))
		Load(Param("depth"), l)
		TESTQ(I32(2*s.lanes-1), l)
		JE(LabelRef(label("reduce")))
		for turn := range 2 {
			step(turn*4*s.lanes, func(m Mem, v reg.VecVirtual) { t.load(m, turn, v) })
		}
		Label(label("reduce"))
		cols := l
		Load(Param("cols"), cols)
		if s.wide() && rows == 4 {
			addQuads(sums, queries, c, cols)
		} else {
			for r := range sums {
				for q, width := range parts(queries) {
					list := make([]reg.Register, width)
					for i := range list {
						list[i] = s.fold(sums[r][q+i], VADDPS)
					}
					addSums(list, Mem{Base: c, Disp: 4 * q})
				}
				LEAQ(Mem{Base: c, Index: cols, Scale: 4}, c)
			}
		}
		for range rows {
			ADDQ(stride, a)
		}
		SUBQ(I32(rows), n)
		JMP(LabelRef(label("rows")))
		Label(label("done"))
	}
	block(most)
	block(1)
	leave()
}

// parts splits n results into fours, twos and ones, and yields the start and length of each.
func parts(n int) iter.Seq2[int, int] {
	return func(yield func(start, width int) bool) {
		start := 0
		for _, width := range []int{4, 2, 1} {
			for ; n-start >= width; start += width {
				if !yield(start, width) {
					return
				}
			}
		}
	}
}

// addQuads adds the lanes of the accumulators of four rows, and the sums to four rows of c, which it advances.
// It adds in the same order as fold and addSums, in a third of the steps: parts of four registers at a time.
func addQuads(sums [][]reg.VecVirtual, queries int, c, cols reg.GPVirtual) {
	// halve returns the sums of the halves of x and y that the masks select.
	halve := func(x, y reg.Register, low, high uint8) {
		t := ZMM()
		VSHUFF64X2(U8(high), y, x, t)
		VSHUFF64X2(U8(low), y, x, x)
		VADDPS(t, x, x)
	}
	quads := make([]reg.Register, queries) // by query: four lanes for each row
	for q := range quads {
		halve(sums[0][q], sums[1][q], 0x44, 0xee)
		halve(sums[2][q], sums[3][q], 0x44, 0xee)
		halve(sums[0][q], sums[2][q], 0x88, 0xdd)
		quads[q] = sums[0][q]
	}
	neighbors := func(x, y reg.Register) reg.Register {
		t := ZMM()
		VSHUFPS(U8(0b11011101), y, x, t)
		VSHUFPS(U8(0b10001000), y, x, x)
		VADDPS(t, x, x)
		return x
	}
	for q, width := range parts(queries) {
		quads[q] = sideBySide(quads[q:q+width], neighbors)
	}
	for r := range sums {
		for q, width := range parts(queries) {
			row := XMM()
			VEXTRACTF32X4(U8(r), quads[q], row)
			addTo(row, width, Mem{Base: c, Disp: 4 * q})
		}
		LEAQ(Mem{Base: c, Index: cols, Scale: 4}, c)
	}
}

// addSums adds the four lanes of each part and the sums, contiguously, to m.
func addSums(parts []reg.Register, m Mem) {
	addTo(sideBySide(parts, pairwise(VADDPS)), len(parts), m)
}

// addTo adds the first n lanes of x, 1, 2 or 4, to m.
func addTo(x reg.Register, n int, m Mem) {
	switch n {
	case 4:
		VADDPS(m, x, x)
		VMOVUPS(x, m)
	case 2:
		old := XMM()
		VMOVSD(m, old)
		VADDPS(old, x, x)
		VMOVLPS(x, m)
	case 1:
		VADDSS(m, x, x)
		VMOVSS(x, m)
	}
}
