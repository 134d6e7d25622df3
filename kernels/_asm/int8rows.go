package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widen8 sets v to the float32 values of a register of codes at m.
func (s isa) widen8(m Mem, v reg.VecVirtual) {
	VPMOVSXBD(m, v)
	VCVTDQ2PS(v, v)
}

// rows8 writes the kernels that sum and convert 8-bit rows.
func (s isa) rows8() {
	define("sumRows8", functions["SumRowsI8"].signature(),
		"sumRows8 computes SumRowsI8 in float32, without rounding weights.")
	axpy8{isa: s}.write()
	s.widenRow8()
	s.widenRow16()
}

// behind8 is the number of rows ahead that an indexed sum of 8-bit rows prefetches.
const behind8 = 12

// An axpy8 is the state of a weighted sum of 8-bit rows.
type axpy8 struct {
	isa
	indexed bool // rows are selected by an index
	acc     reg.GPVirtual
	weights reg.GPVirtual
	scales  reg.GPVirtual
	index   reg.GPVirtual
	rows    reg.GPVirtual
	width   reg.GPVirtual // columns, equal to the bytes of a row
	j       reg.GPVirtual // column
	count   reg.GPVirtual // rows of this group
}

// write writes the kernel: groups of rows as in a float32 sum, columns in blocks of as many registers as are
// free, then 64 at a time.
func (a axpy8) write() {
	a.acc, a.weights, a.rows, a.scales = pointer("acc"), pointer("weights"), pointer("rows"), pointer("scales")
	a.width = length("acc")
	left := length("weights")
	if a.indexed {
		a.index = pointer("index")
	}
	a.j, a.count = GP64(), GP64()

	Label("group")
	TESTQ(left, left)
	JE(LabelRef("done"))
	MOVQ(U32(group), a.count)
	CMPQ(left, a.count)
	CMOVQLT(left, a.count)
	SUBQ(a.count, left)
	XORQ(a.j, a.j)
	for _, registers := range slices.Compact([]int{a.lanes, int8Columns / a.lanes}) {
		name := fmt.Sprintf("columns%d", registers*a.lanes)
		blocks(name, a.j, registers*a.lanes, func() Op { return a.width }, func() { a.block(name+"rows", registers) })
	}
	LEAQ(Mem{Base: a.weights, Index: a.count, Scale: 4}, a.weights)
	if a.indexed {
		LEAQ(Mem{Base: a.index, Index: a.count, Scale: 4}, a.index)
	} else {
		LEAQ(Mem{Base: a.scales, Index: a.count, Scale: 4}, a.scales)
		IMULQ(a.width, a.count)
		ADDQ(a.count, a.rows)
	}
	JMP(LabelRef("group"))
	Label("done")
	leave()
}

// block adds the group's rows in the columns of some registers from j on.
func (a axpy8) block(name string, registers int) {
	sums := a.zeros(registers)
	address := GP64()
	i := GP64()
	at := GP64()
	columns := GP64()
	next := GP64()
	LEAQ(Mem{Base: a.rows, Index: a.j, Scale: 1}, columns)
	if !a.indexed {
		MOVQ(columns, address)
	}
	XORQ(i, i)
	scale := a.vec()
	weight := a.vec()
	Label(name)
	if a.indexed {
		MOVLQSX(Mem{Base: a.index, Index: i, Scale: 4}, at)
		VBROADCASTSS(Mem{Base: a.scales, Index: at, Scale: 4}, scale)
		MOVQ(at, address)
		IMULQ(a.width, address)
		ADDQ(columns, address)
		later := GP64()
		LEAQ(Mem{Base: a.count, Disp: -1}, at)
		LEAQ(Mem{Base: i, Disp: behind8}, later)
		CMPQ(later, at)
		CMOVQGT(at, later)
		MOVLQSX(Mem{Base: a.index, Index: later, Scale: 4}, next)
		IMULQ(a.width, next)
		ADDQ(columns, next)
	} else {
		VBROADCASTSS(Mem{Base: a.scales, Index: i, Scale: 4}, scale)
	}
	VBROADCASTSS(Mem{Base: a.weights, Index: i, Scale: 4}, weight)
	VMULPS(scale, weight, weight)
	for turn, sum := range sums {
		v := a.vec()
		a.widen8(Mem{Base: address, Disp: turn * a.lanes}, v)
		VFMADD231PS(v, weight, sum)
		if disp := turn * a.lanes; a.indexed && disp%64 == 0 {
			PREFETCHT0(Mem{Base: next, Disp: disp})
		}
	}
	if !a.indexed {
		ADDQ(a.width, address)
	}
	INCQ(i)
	CMPQ(i, a.count)
	JL(LabelRef(name))
	for turn, sum := range sums {
		m := Mem{Base: a.acc, Index: a.j, Scale: 4, Disp: turn * a.lanes * 4}
		VADDPS(m, sum, sum)
		VMOVUPS(sum, m)
	}
}

// widenRow8 writes the conversion of a row.
func (s isa) widenRow8() {
	begin("WidenI8")
	dst := pointer("dst")
	n := length("dst")
	row := pointer("row")
	by := s.param("by")
	j := GP64()
	XORQ(j, j)
	Label("columns")
	CMPQ(j, n)
	JGE(LabelRef("done"))
	for turn := range int8Columns / s.lanes {
		v := s.vec()
		s.widen8(Mem{Base: row, Index: j, Scale: 1, Disp: turn * s.lanes}, v)
		VMULPS(by, v, v)
		VMOVUPS(v, Mem{Base: dst, Index: j, Scale: 4, Disp: turn * s.lanes * 4})
	}
	ADDQ(I32(int8Columns), j)
	JMP(LabelRef("columns"))
	Label("done")
	leave()
}

// widenRow16 writes the conversion of a row with low bytes.
func (s isa) widenRow16() {
	begin("WidenI16")
	dst := pointer("dst")
	n := length("dst")
	row := pointer("row")
	low := pointer("low")
	by := s.param("by")
	j := GP64()
	XORQ(j, j)
	Label("columns")
	CMPQ(j, n)
	JGE(LabelRef("done"))
	for turn := 0; turn < int8Columns; turn += 16 {
		words := s.vec()
		lows := s.vec()
		VPMOVSXBW(Mem{Base: row, Index: j, Scale: 1, Disp: turn}, words)
		VPMOVSXBW(Mem{Base: low, Index: j, Scale: 1, Disp: turn}, lows)
		VPSLLW(U8(8), words, words)
		VPADDW(lows, words, words)
		second := XMM()
		s.upper(words, second)
		for i, half := range []reg.Register{s.half(words), second} {
			v := s.vec()
			VPMOVSXWD(half, v)
			VCVTDQ2PS(v, v)
			VMULPS(by, v, v)
			VMOVUPS(v, Mem{Base: dst, Index: j, Scale: 4, Disp: 4 * (turn + 8*i)})
		}
	}
	ADDQ(I32(int8Columns), j)
	JMP(LabelRef("columns"))
	Label("done")
	leave()
}
