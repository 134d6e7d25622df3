package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// indexAbove writes the list of indices of the entries above a bound.
func (s isa) indexAbove() {
	begin("IndexAbove")
	dst := pointer("dst")
	n := length("dst")
	x := pointer("x")
	eps := s.param("eps")
	count := GP64()
	XORQ(count, count)
	above := s.oneByOne
	if s.wide() {
		above = s.compressed
	}
	step := above(dst, count)
	s.walk(n, 4, func(p place) { step(p, p.load(x), eps) })
	MOVQ(count, address(ReturnIndex(0)))
	leave()
}

// scaleClip writes a scaled vector within bounds, and the number of entries above the lower one.
func (s isa) scaleClip() {
	begin("ScaleClip")
	dst := pointer("dst")
	n := length("dst")
	x := pointer("x")
	scale := s.param("scale")
	least := s.param("least")
	most := s.param("most")
	count := GP64()
	XORQ(count, count)
	s.walk(n, 4, func(p place) {
		v := p.load(x)
		bits := GP32()
		VMULPS(scale, v, v)
		k := s.vec()
		VCMPPS(U8(greaterEqual), least, v, k)
		if p.mask != nil {
			VANDPS(p.mask, k, k)
		}
		VMINPS(most, v, v)
		VANDPS(k, v, v)
		VMOVMSKPS(k, bits)
		p.store(v, dst)
		POPCNTL(bits, bits)
		ADDQ(bits.As64(), count)
	})
	MOVQ(count, address(ReturnIndex(0)))
	leave()
}

// compressed returns a step of indexAbove with AVX-512: it writes a register of indices, the selected ones
// first. The rest of the register is written within dst.
func (s isa) compressed(dst, count reg.GPVirtual) func(p place, v, eps reg.VecVirtual) {
	index := s.vec()
	step := s.vec()
	first := GLOBL("indices", rodata)
	for i := range s.lanes {
		DATA(4*i, U32(i))
	}
	VMOVDQU32(first, index)
	lanes := GP32()
	MOVL(U32(s.lanes), lanes)
	VPBROADCASTD(lanes, step)
	return func(p place, v, eps reg.VecVirtual) {
		k := K()
		to := Mem{Base: dst, Index: count, Scale: 4}
		if p.mask != nil {
			VCMPPS(U8(greaterEqual), eps, v, p.mask, k)
			VPCOMPRESSD(index, k, to)
		} else {
			VCMPPS(U8(greaterEqual), eps, v, k)
			list := s.vec()
			VPCOMPRESSD_Z(index, k, list)
			VMOVDQU32(list, to)
		}
		VPADDD(step, index, index)
		bits := GP32()
		KMOVW(k, bits)
		POPCNTL(bits, bits)
		ADDQ(bits.As64(), count)
	}
}

// oneByOne returns a step of indexAbove with AVX2, which writes each index separately.
func (s isa) oneByOne(dst, count reg.GPVirtual) func(p place, v, eps reg.VecVirtual) {
	steps := 0
	at := GP32()
	XORL(at, at) // BSFL may leave it unchanged
	return func(p place, v, eps reg.VecVirtual) {
		steps++
		next := fmt.Sprintf("index%d", steps)
		done := fmt.Sprintf("indexed%d", steps)
		VCMPPS(U8(greaterEqual), eps, v, v)
		if p.mask != nil {
			VANDPS(p.mask, v, v)
		}
		bits := GP32()
		rest := GP32()
		VMOVMSKPS(v, bits)
		Label(next)
		TESTL(bits, bits)
		JE(LabelRef(done))
		BSFL(bits, at)
		LEAL(Mem{Base: at.As64(), Index: p.index, Scale: 1, Disp: p.turn * p.lanes}, at)
		MOVL(at, Mem{Base: dst, Index: count, Scale: 4})
		INCQ(count)
		LEAL(Mem{Base: bits.As64(), Disp: -1}, rest)
		ANDL(rest, bits)
		JMP(LabelRef(next))
		Label(done)
	}
}
