package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairOrder returns the permutation that interleaves two halves of a register as pairs.
func pairOrder() Mem {
	return table("pairOrder", func() {
		for i := range 16 {
			DATA(4*i, U32(i|(i+16)<<16))
		}
	})
}

// pack writes the packing of a matrix into tiles.
func (s isa) pack(terms int) {
	name := fmt.Sprintf("Pack%d", terms)
	order := pairOrder()
	define(name, "func(dst *uint16, x *float32, pair, ahead, rows, row, dstRow, runs, run, dstRun int)",
		fmt.Sprintf("%s makes rows of tiles of %d terms each, in runs. A row are 16 pairs: of the first", name, terms),
		"terms of the numbers behind x and of those pair bytes further on; the row of the next",
		"terms, which are what rounding has left, lies a pair of tiles further on. From row to",
		"row x moves by row and dst by dstRow, from run to run they move by run and dstRun,",
		"all in bytes. What is ahead bytes further on is fetched too. rows and runs are not 0.")
	dst := reg.RDI
	x := reg.RSI
	pair := reg.R8
	px := reg.RDX
	pd := reg.R9
	runs := reg.RCX
	rows := reg.R10
	row := reg.RBX
	dstRow := reg.R11
	ahead := reg.R12
	next := reg.R13
	Load(Param("dst"), dst)
	Load(Param("x"), x)
	Load(Param("pair"), pair)
	Load(Param("row"), row)
	Load(Param("dstRow"), dstRow)
	Load(Param("runs"), runs)
	Load(Param("ahead"), ahead)
	interleave := reg.Z31
	upper := reg.Z30
	VMOVUPS(order, interleave)
	if terms > 1 {
		MOVL(U32(0xffff0000), rows.As32())
		VPBROADCASTD(rows.As32(), upper)
	}
	Label("runs")
	MOVQ(x, px)
	MOVQ(dst, pd)
	Load(Param("rows"), rows)
	Label("rows")
	LEAQ(Mem{Base: px, Index: ahead, Scale: 1}, next)
	PREFETCHT1(Mem{Base: next})
	PREFETCHT1(Mem{Base: next, Index: pair, Scale: 1})
	VMOVUPS(Mem{Base: px}, reg.Z0)
	VMOVUPS(Mem{Base: px, Index: pair, Scale: 1}, reg.Z1)
	packTerms(terms, pd, interleave, upper)
	ADDQ(row, px)
	ADDQ(dstRow, pd)
	DECQ(rows)
	JNE(LabelRef("rows"))
	ADDQ(address(Param("run")), x)
	ADDQ(address(Param("dstRun")), dst)
	DECQ(runs)
	JNE(LabelRef("runs"))
	leave()
}

// packTerms splits the numbers of registers 0 and 1 into terms, and stores each as pairs at dst. upper masks the
// second number of a pair; a single term needs no mask.
func packTerms(terms int, dst reg.GPPhysical, interleave, upper reg.VecPhysical) {
	for term := range terms {
		vcvtne2ps2bf16(2, 1, 0)
		VPERMW(reg.Z2, interleave, reg.Z2)
		VMOVUPS(reg.Z2, Mem{Base: dst, Disp: term * termBytes})
		if term == terms-1 {
			break
		}
		VPSLLD(U8(16), reg.Z2, reg.Z3)
		VPANDD(upper, reg.Z2, reg.Z4)
		VSUBPS(reg.Z3, reg.Z0, reg.Z0)
		VSUBPS(reg.Z4, reg.Z1, reg.Z1)
	}
}

// transposeTile writes the transposition of 16 by 16 32-bit numbers: twice by pairs of neighbors within parts
// of four, then twice by parts.
func (s isa) transposeTile() {
	define("Transpose", "func(dst, src *float32, dstRow, srcRow int)",
		"Transpose computes dst[j][i] = src[i][j] for i < 16 and j < 16, where rows are dstRow",
		"and srcRow bytes apart. dst may be src, with the same rows.")
	dst := argument("dst")
	src := argument("src")
	dstRow := argument("dstRow")
	srcRow := argument("srcRow")
	v := s.vecs(16)
	for _, r := range v {
		VMOVUPS(Mem{Base: src}, r)
		ADDQ(srcRow, src)
	}
	out := s.columnsOf(v)
	for _, r := range out {
		VMOVUPS(r, Mem{Base: dst})
		ADDQ(dstRow, dst)
	}
	leave()
}

// columnsOf returns the columns of 16 registers of 16 numbers.
func (s isa) columnsOf(v []reg.VecVirtual) (out [16]reg.VecVirtual) {
	both := func(i, j int, low, high func(x, y, dst reg.VecVirtual)) {
		t := s.vec()
		high(v[i], v[j], t)
		low(v[i], v[j], v[i])
		v[j] = t
	}
	for i := 0; i < 16; i += 2 {
		both(i, i+1,
			func(x, y, dst reg.VecVirtual) { VUNPCKLPS(y, x, dst) },
			func(x, y, dst reg.VecVirtual) { VUNPCKHPS(y, x, dst) })
	}
	for i := 0; i < 16; i += 4 {
		for k := range 2 {
			both(i+k, i+k+2,
				func(x, y, dst reg.VecVirtual) { VUNPCKLPD(y, x, dst) },
				func(x, y, dst reg.VecVirtual) { VUNPCKHPD(y, x, dst) })
		}
	}
	// Part p of v[4g+k] is now column 4p + k', of rows 4g to 4g+3.
	column := [4]int{0, 2, 1, 3}
	even := func(x, y, dst reg.VecVirtual) { VSHUFF64X2(U8(0x88), y, x, dst) }
	odd := func(x, y, dst reg.VecVirtual) { VSHUFF64X2(U8(0xdd), y, x, dst) }
	for k := range 4 {
		both(k, k+4, even, odd)
		both(k+8, k+12, even, odd)
		// v[k]: parts 0 and 2 of two rows each; v[k+4]: parts 1 and 3.
		both(k, k+8, even, odd)
		both(k+4, k+12, even, odd)
		out[column[k]], out[8+column[k]] = v[k], v[k+8]
		out[4+column[k]], out[12+column[k]] = v[k+4], v[k+12]
	}
	return out
}
