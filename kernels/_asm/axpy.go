package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is the number of rows whose weighted sum is formed in registers before
// it is added to the accumulator. It bounds the number of additions in a chain:
// group for one part, the number of groups for the other.
const group = 64

// axpy writes the weighted sum of rows of one element. Columns are taken in
// blocks of as many registers as there is room for, then smaller ones.
func (s isa) axpy(f element) {
	begin("AxpyRows" + f.suffix)
	acc := Load(Param("acc").Base(), GP64()).(reg.GPVirtual)
	width := Load(Param("acc").Len(), GP64()).(reg.GPVirtual)
	rows := Load(Param("rows").Base(), GP64()).(reg.GPVirtual)
	weights := Load(Param("weights").Base(), GP64()).(reg.GPVirtual)
	left := Load(Param("weights").Len(), GP64()).(reg.GPVirtual)
	stride := GP64()
	LEAQ(Mem{Base: width, Index: width, Scale: 1}, stride)
	if f.size == 4 {
		ADDQ(stride, stride)
	}
	rest := GP64()
	MOVQ(width, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	t := s.tail(rest, f.size == 2)
	j, count := GP64(), GP64()

	Label("group")
	TESTQ(left, left)
	JE(LabelRef("done"))
	MOVQ(U32(group), count)
	CMPQ(left, count)
	CMOVQLT(left, count)
	SUBQ(count, left)
	XORQ(j, j)

	// block adds the group's rows in the columns of some registers from j on.
	address := GP64()
	block := func(name string, registers int, fma func(turn int, m Mem, weight, sum reg.VecVirtual), update func(turn int, m Mem, sum reg.VecVirtual)) {
		sums := s.vecs(registers)
		for _, v := range sums {
			s.zero(v)
		}
		LEAQ(Mem{Base: rows, Index: j, Scale: uint8(f.size)}, address)
		i, weight := GP64(), s.vec()
		XORQ(i, i)
		Label(name)
		VBROADCASTSS(Mem{Base: weights, Index: i, Scale: 4}, weight)
		for turn, sum := range sums {
			fma(turn, Mem{Base: address, Disp: turn * s.lanes * f.size}, weight, sum)
		}
		ADDQ(stride, address)
		INCQ(i)
		CMPQ(i, count)
		JL(LabelRef(name))
		for turn, sum := range sums {
			update(turn, Mem{Base: acc, Index: j, Scale: 4, Disp: turn * s.lanes * 4}, sum)
		}
	}
	for _, registers := range []int{s.lanes, 4, 2} {
		name := fmt.Sprintf("columns%d", registers*s.lanes)
		end := GP64()
		Label(name)
		LEAQ(Mem{Base: j, Disp: registers * s.lanes}, end)
		CMPQ(end, width)
		JG(LabelRef(name + "done"))
		block(name+"rows", registers,
			func(_ int, m Mem, weight, sum reg.VecVirtual) { s.fma(f, m, weight, sum) },
			func(_ int, m Mem, sum reg.VecVirtual) {
				VADDPS(m, sum, sum)
				VMOVUPS(sum, m)
			})
		ADDQ(I32(registers*s.lanes), j)
		JMP(LabelRef(name))
		Label(name + "done")
	}
	CMPQ(j, width)
	JE(LabelRef("next"))
	block("tailrows", 2,
		func(turn int, m Mem, weight, sum reg.VecVirtual) {
			v := s.vec()
			t.load(f, m, turn, v)
			VFMADD231PS(v, weight, sum)
		},
		func(turn int, m Mem, sum reg.VecVirtual) {
			v := s.vec()
			t.load(float32s, m, turn, v)
			VADDPS(v, sum, sum)
			t.store(sum, turn, m)
		})

	Label("next")
	LEAQ(Mem{Base: weights, Index: count, Scale: 4}, weights)
	IMULQ(stride, count)
	ADDQ(count, rows)
	JMP(LabelRef("group"))
	Label("done")
	VZEROUPPER()
	RET()
}
