package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widen8 sets v to the float32 values of a register full of codes at m.
func (s isa) widen8(m Mem, v reg.VecVirtual) {
	VPMOVSXBD(m, v)
	VCVTDQ2PS(v, v)
}

// rows8 writes what sums, squares and converts 8-bit rows.
func (s isa) rows8() {
	begin("AxpyRowsI8")
	axpy8{isa: s, sums: 1}.write()
	begin("AxpyRows2I8")
	axpy8{isa: s, sums: 2}.write()
	begin("AxpyAtI8")
	axpy8{isa: s, sums: 1, indexed: true}.write()
	s.squares8()
	s.widenRow8()
	s.unpack4()
}

// An axpy8 is the state of a weighted sum of 8-bit rows.
type axpy8 struct {
	isa
	sums    int  // accumulators
	indexed bool // rows are selected by an index
	acc     []string
	weights []reg.GPVirtual
	scales  reg.GPVirtual
	index   reg.GPVirtual
	rows    reg.GPVirtual
	width   reg.GPVirtual // columns, which is the bytes of a row
	j       reg.GPVirtual // column
	count   reg.GPVirtual // rows of this group
}

// write writes the kernel: groups of rows as a float32 sum has them, columns in blocks
// of as many registers as there is room for, then 64 at a time.
func (a axpy8) write() {
	weights := []string{"weights"}
	a.acc = []string{"acc"}
	if a.sums > 1 {
		a.acc, weights = []string{"acc0", "acc1"}, []string{"weights0", "weights1"}
	}
	for _, w := range weights {
		a.weights = append(a.weights, Load(Param(w).Base(), GP64()).(reg.GPVirtual))
	}
	a.rows = Load(Param("rows").Base(), GP64()).(reg.GPVirtual)
	a.scales = Load(Param("scales").Base(), GP64()).(reg.GPVirtual)
	a.width = Load(Param(a.acc[0]).Len(), GP64()).(reg.GPVirtual)
	left := Load(Param(weights[0]).Len(), GP64()).(reg.GPVirtual)
	if a.indexed {
		a.index = Load(Param("index").Base(), GP64()).(reg.GPVirtual)
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
	room := a.lanes / a.sums
	last := min(room, int8Columns/a.lanes)
	for _, registers := range slices.Compact([]int{room, last}) {
		name := fmt.Sprintf("columns%d", registers*a.lanes)
		end := GP64()
		Label(name)
		LEAQ(Mem{Base: a.j, Disp: registers * a.lanes}, end)
		CMPQ(end, a.width)
		JG(LabelRef(name + "done"))
		a.block(name+"rows", registers)
		ADDQ(I32(registers*a.lanes), a.j)
		JMP(LabelRef(name))
		Label(name + "done")
	}
	for _, w := range a.weights {
		LEAQ(Mem{Base: w, Index: a.count, Scale: 4}, w)
	}
	if a.indexed {
		LEAQ(Mem{Base: a.index, Index: a.count, Scale: 4}, a.index)
	} else {
		LEAQ(Mem{Base: a.scales, Index: a.count, Scale: 4}, a.scales)
		IMULQ(a.width, a.count)
		ADDQ(a.count, a.rows)
	}
	JMP(LabelRef("group"))
	Label("done")
	VZEROUPPER()
	RET()
}


// block adds the group's rows in the columns of some registers from j on.
func (a axpy8) block(name string, registers int) {
	sums := make([][]reg.VecVirtual, registers) // by turn, accumulator
	for turn := range sums {
		sums[turn] = a.zeros(a.sums)
	}
	address, i, at := GP64(), GP64(), GP64()
	columns := GP64()
	LEAQ(Mem{Base: a.rows, Index: a.j, Scale: 1}, columns)
	if !a.indexed {
		MOVQ(columns, address)
	}
	XORQ(i, i)
	scale, weights := a.vec(), a.vecs(a.sums)
	Label(name)
	if a.indexed {
		MOVLQSX(Mem{Base: a.index, Index: i, Scale: 4}, at)
		VBROADCASTSS(Mem{Base: a.scales, Index: at, Scale: 4}, scale)
		MOVQ(at, address)
		IMULQ(a.width, address)
		ADDQ(columns, address)
	} else {
		VBROADCASTSS(Mem{Base: a.scales, Index: i, Scale: 4}, scale)
	}
	for k, w := range weights {
		VBROADCASTSS(Mem{Base: a.weights[k], Index: i, Scale: 4}, w)
		VMULPS(scale, w, w)
	}
	for turn, sum := range sums {
		v := a.vec()
		a.widen8(Mem{Base: address, Disp: turn * a.lanes}, v)
		for k, w := range weights {
			VFMADD231PS(v, w, sum[k])
		}
	}
	if !a.indexed {
		ADDQ(a.width, address)
	}
	INCQ(i)
	CMPQ(i, a.count)
	JL(LabelRef(name))
	for k, acc := range a.acc {
		base := Load(Param(acc).Base(), GP64()).(reg.GPVirtual)
		for turn := range sums {
			m := Mem{Base: base, Index: a.j, Scale: 4, Disp: turn * a.lanes * 4}
			VADDPS(m, sums[turn][k], sums[turn][k])
			VMOVUPS(sums[turn][k], m)
		}
	}
}

// squares8 writes the weighted squares of rows.
func (s isa) squares8() {
	begin("SquareRowsI8")
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	row := Load(Param("rows").Base(), GP64()).(reg.GPVirtual)
	scales := Load(Param("scales").Base(), GP64()).(reg.GPVirtual)
	weights := Load(Param("weights").Base(), GP64()).(reg.GPVirtual)
	width := Load(Param("weights").Len(), GP64()).(reg.GPVirtual)
	i, j := GP64(), GP64()
	XORQ(i, i)
	Label("row")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	sums := s.zeros(4)
	XORQ(j, j)
	Label("columns")
	CMPQ(j, width)
	JGE(LabelRef("reduce"))
	for turn := range int8Columns / s.lanes {
		v := s.vec()
		s.widen8(Mem{Base: row, Index: j, Scale: 1, Disp: turn * s.lanes}, v)
		VMULPS(v, v, v)
		VFMADD231PS(Mem{Base: weights, Index: j, Scale: 4, Disp: turn * s.lanes * 4}, v, sums[turn%4])
	}
	ADDQ(I32(int8Columns), j)
	JMP(LabelRef("columns"))
	Label("reduce")
	x := s.sum(s.total(sums))
	scale := Mem{Base: scales, Index: i, Scale: 4}
	VMULSS(scale, x, x)
	VMULSS(scale, x, x)
	VMOVSS(x, Mem{Base: dst, Index: i, Scale: 4})
	ADDQ(width, row)
	INCQ(i)
	JMP(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	RET()
}

// widenRow8 writes the conversion of a row.
func (s isa) widenRow8() {
	begin("WidenI8")
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	row := Load(Param("row").Base(), GP64()).(reg.GPVirtual)
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
	VZEROUPPER()
	RET()
}

// unpack4 writes the conversion of 4-bit codes. It looks products up: of a multiplier
// with 16 codes at a time.
func (s isa) unpack4() {
	table := GLOBL("products4", rodata)
	for multiplier := range 32 {
		for code := range 16 {
			DATA(16*multiplier+code, U8(uint8(multiplier*(code-8))))
		}
	}
	begin("UnpackI4")
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	end := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	from := Load(Param("rows").Base(), GP64()).(reg.GPVirtual)
	multipliers := Load(Param("multipliers").Base(), GP64()).(reg.GPVirtual)
	ADDQ(dst, end)
	products := GP64()
	LEAQ(table, products)
	g, low := GP32(), YMM()
	MOVL(U32(0x0f0f0f0f), g)
	VMOVD(g, low.AsX())
	VPBROADCASTD(low.AsX(), low)
	Label("pair")
	CMPQ(dst, end)
	JGE(LabelRef("done"))
	codes := [2]reg.VecVirtual{YMM(), YMM()}
	VMOVDQU(Mem{Base: from}, codes[0])
	VPSRLW(U8(4), codes[0], codes[1])
	for block, v := range codes {
		VPAND(low, v, v)
		m, all := GP64(), YMM()
		MOVBQZX(Mem{Base: multipliers, Disp: block}, m)
		ANDL(U8(31), m.As32())
		SHLQ(U8(4), m)
		VBROADCASTI128(Mem{Base: products, Index: m, Scale: 1}, all)
		VPSHUFB(v, all, all)
		VMOVDQU(all, Mem{Base: dst, Disp: 32 * block})
	}
	ADDQ(I32(32), from)
	ADDQ(I32(2), multipliers)
	ADDQ(I32(64), dst)
	JMP(LabelRef("pair"))
	Label("done")
	VZEROUPPER()
	RET()
}
