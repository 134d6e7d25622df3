package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots writes the dot products of rows with 1, 2 and 4 queries.
//
// Each row and query has two accumulators, which alternate along the row, and lanes
// are added in a fixed order: the result does not depend on the number of rows or
// queries in a block. AVX-512 has registers for 16 accumulators, AVX2 for 8.
func (s isa) dots() {
	for _, queries := range []int{1, 2, 4} {
		name := "DotRows"
		if queries > 1 {
			name += fmt.Sprint(queries)
		}
		accumulators := s.lanes
		if queries == 1 {
			accumulators = 8
		}
		begin(name)
		s.dot(queries, accumulators/2/queries)
	}
}

// aheadBytes is the maximum number of bytes prefetched: half of L1. Rows from memory
// become up to 50% faster, blocks in L2 slightly slower.
const aheadBytes = 16 << 10

// A dot is the state of a dot product kernel.
type dot struct {
	isa
	queries []reg.GPVirtual
	row     reg.GPVirtual // address of the next row
	stride  reg.GPVirtual // bytes from row to row
	whole   reg.GPVirtual // columns that fill two registers
	width   reg.GPVirtual // columns
	i       reg.GPVirtual // row
	tail    tail
}

func (s isa) dot(queries, rows int) {
	d := dot{isa: s, row: pointer("rows"), width: length(numbered("q", 0, queries))}
	for i := range queries {
		d.queries = append(d.queries, pointer(numbered("q", i, queries)))
	}
	n := length(numbered("dst", 0, queries))
	d.stride = GP64()
	LEAQ(Mem{Base: d.width, Index: d.width, Scale: 1}, d.stride)
	ADDQ(d.stride, d.stride)
	d.whole = GP64()
	MOVQ(d.width, d.whole)
	ANDQ(I32(-2*s.lanes), d.whole)
	rest := GP64()
	MOVQ(d.width, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	d.tail = s.tail(rest)

	d.i = GP64()
	XORQ(d.i, d.i)
	for _, rows := range slices.Compact([]int{rows, 1}) {
		if rows > 1 {
			SUBQ(I32(rows-1), n)
		}
		next := fmt.Sprintf("next%d", rows)
		done := fmt.Sprintf("done%d", rows)
		Label(next)
		CMPQ(d.i, n)
		JGE(LabelRef(done))
		d.block(rows)
		ADDQ(I32(rows), d.i)
		JMP(LabelRef(next))
		Label(done)
		if rows > 1 {
			ADDQ(I32(rows-1), n)
		}
	}
	leave()
}

// numbered returns the name of parameter i of some that are alike: a single one has no number.
func numbered(name string, i, of int) string {
	if of == 1 {
		return name
	}
	return fmt.Sprint(name, i)
}

// block computes the products of rows rows, from row i on.
func (d dot) block(rows int) {
	Comment(fmt.Sprintf("Rows at a time: %d.", rows))
	label := func(name string) string { return fmt.Sprintf("%s%d", name, rows) }
	addresses := make([]reg.GPVirtual, rows)
	addresses[0] = d.row
	for r := 1; r < rows; r++ {
		addresses[r] = GP64()
		LEAQ(Mem{Base: addresses[r-1], Index: d.stride, Scale: 1}, addresses[r])
	}
	sums := make([][][]reg.VecVirtual, rows) // by row, query, turn
	for r := range sums {
		for range d.queries {
			sums[r] = append(sums[r], d.zeros(2))
		}
	}
	j := GP64()
	XORQ(j, j)
	column := func(base reg.GPVirtual, turn int) Mem {
		return Mem{Base: base, Index: j, Scale: 4, Disp: turn * d.lanes * 4}
	}

	columns := func(prefetch func()) {
		for turn := range 2 {
			d.step(addresses, sums, turn, func(base reg.GPVirtual) Op { return column(base, turn) },
				func(base reg.GPVirtual, v reg.VecVirtual) { VMOVUPS(column(base, turn), v) })
		}
		prefetch()
		ADDQ(I32(2*d.lanes), j)
		CMPQ(j, d.whole)
	}
	CMPQ(j, d.whole)
	JE(LabelRef(label("tail")))
	if rows > 1 {
		// Prefetch the next rows where that is wanted, unless they would evict these from L1.
		CMPB(prefetchAll(), U8(0))
		JE(LabelRef(label("columns")))
		CMPQ(d.stride, I32(aheadBytes/rows))
		JG(LabelRef(label("columns")))
		next := GP64()
		LEAQ(Mem{Base: addresses[rows-1], Index: d.stride, Scale: 1}, next)
		Label(label("ahead"))
		columns(func() {
			size := rows * 2 * d.lanes * 4
			for at := 0; at < size; at += 64 {
				PREFETCHT0(Mem{Base: next, Disp: at})
			}
			ADDQ(I32(size), next)
		})
		JL(LabelRef(label("ahead")))
		JMP(LabelRef(label("tail")))
	}
	Label(label("columns"))
	columns(func() {})
	JL(LabelRef(label("columns")))

	Label(label("tail"))
	CMPQ(j, d.width)
	JE(LabelRef(label("reduce")))
	for turn := range 2 {
		load := func(base reg.GPVirtual, v reg.VecVirtual) { d.tail.load(column(base, turn), turn, v) }
		d.step(addresses, sums, turn, func(base reg.GPVirtual) Op {
			v := d.vec()
			load(base, v)
			return v
		}, load)
	}

	Label(label("reduce"))
	for q := range d.queries {
		dst := pointer(numbered("dst", q, len(d.queries)))
		parts := make([]reg.Register, rows)
		for r := range parts {
			VADDPS(sums[r][q][1], sums[r][q][0], sums[r][q][0])
			parts[r] = d.fold(sums[r][q][0], VADDPS)
		}
		storeSums(parts, Mem{Base: dst, Index: d.i, Scale: 4})
	}
	LEAQ(Mem{Base: addresses[rows-1], Index: d.stride, Scale: 1}, d.row)
}

// step multiplies one register full of columns, which operand gives as an operand and load loads.
// With several rows the queries are loaded first and kept; with one row, the row is.
func (d dot) step(rows []reg.GPVirtual, sums [][][]reg.VecVirtual, turn int,
	operand func(base reg.GPVirtual) Op, load func(base reg.GPVirtual, v reg.VecVirtual),
) {
	if len(rows) == 1 {
		v := d.vec()
		load(rows[0], v)
		for q, query := range d.queries {
			VFMADD231PS(operand(query), v, sums[0][q][turn])
		}
		return
	}
	queries := d.vecs(len(d.queries))
	for q, v := range queries {
		load(d.queries[q], v)
	}
	for r, row := range rows {
		if len(queries) == 1 {
			VFMADD231PS(operand(row), queries[0], sums[r][0][turn])
			continue
		}
		v := d.vec()
		load(row, v)
		for q, query := range queries {
			VFMADD231PS(v, query, sums[r][q][turn])
		}
	}
}

// storeSums adds the four lanes of each part and stores the sums side by side.
func storeSums(parts []reg.Register, m Mem) {
	sums := sideBySide(parts, pairwise(VADDPS))
	switch len(parts) {
	case 4:
		VMOVUPS(sums, m)
	case 2:
		VMOVLPS(sums, m)
	case 1:
		VMOVSS(sums, m)
	}
}

// sideBySide returns the sums of the four lanes of each part in as many lanes; pair adds
// neighbors. The order of additions is the same for 1, 2 and 4 parts.
func sideBySide(parts []reg.Register, pair func(x, y reg.Register) reg.Register) reg.Register {
	if len(parts) == 4 {
		return pair(pair(parts[0], parts[1]), pair(parts[2], parts[3]))
	}
	both := pair(parts[0], parts[len(parts)-1])
	return pair(both, both)
}
