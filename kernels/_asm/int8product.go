package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// int8Products writes products of 32 rows of 16-bit integers with groups of 16 queries, with AMX. Tiles 0 and 1
// are the sums of the first 16 rows, of products of high bytes and of a high byte with a low one; tiles 2 and 3
// are the same sums of the other rows. The rest hold the bytes of rows and queries: queries come from the
// second-level cache, rows from the first.
func int8Products() {
	config := tileShapes()
	define("Int8", "func(sums *int32, high, low *int8, row int, queries *uint32, steps, groups int)",
		"Int8 computes, with TDPBSSD, products of 32 rows with groups of 16 queries, of 16-bit",
		"integers: 256 times a high byte and a low byte. The bytes of a row lie row bytes behind those",
		"of the row before. Queries have, for each group and each step of 64 columns, a tile of high",
		"bytes and one of low bytes. Sums are, for each group and each 16 rows, a tile of 16 rows and",
		"16 queries of sums of the products of high bytes, then one of those of a high byte with a",
		"low one. No size is 0.")
	ra := reg.RSI
	rb := reg.RDI
	pa := reg.R14
	pb := reg.R9
	const fetched = 16 // lines per step: all of the next rows, if there are two groups
	nextA := reg.R12
	nextB := reg.R13
	lastA := reg.RDX
	endA := reg.R15
	endB := reg.RBP
	row := reg.R8
	queries := reg.R10
	steps := reg.RCX
	groups := reg.R11
	sums := reg.RAX
	tile := reg.RBX
	LEAQ(config, sums)
	ldtilecfg(memory{base: sums})
	Load(Param("sums"), sums)
	Load(Param("high"), ra)
	Load(Param("low"), rb)
	Load(Param("row"), row)
	Load(Param("queries"), queries)
	Load(Param("groups"), groups)
	MOVQ(I32(tileRow), tile)
	MOVQ(row, nextA)
	SHLQ(U8(4), nextA)
	LEAQ(Mem{Base: ra, Index: nextA, Scale: 1}, endA)
	LEAQ(Mem{Base: rb, Index: nextA, Scale: 1}, endB)
	LEAQ(Mem{Base: rb, Index: nextA, Scale: 2}, nextB)
	LEAQ(Mem{Base: ra, Index: nextA, Scale: 4}, lastA)
	LEAQ(Mem{Base: ra, Index: nextA, Scale: 2}, nextA)
	Label("groups")
	for t := range byte(4) {
		tilezero(t)
	}
	XORQ(pa, pa) // the offset of the columns
	Load(Param("steps"), steps)
	Label("steps")
	part := func(base reg.GPPhysical) memory {
		LEAQ(Mem{Base: base, Index: pa, Scale: 1}, pb)
		return memory{pb, row, 0}
	}
	// Each sum depends on its last product, so products of other sums are interleaved.
	tileloadd(4, part(ra))
	tileloadd(7, memory{queries, tile, tileBytes})
	tdpbssd(1, 4, 7)
	tileloadd(5, part(endA))
	tdpbssd(3, 5, 7)
	tileloadd(6, memory{queries, tile, 0})
	tdpbssd(0, 4, 6)
	tileloadd(7, part(rb))
	tdpbssd(1, 7, 6)
	tileloadd(4, part(endB))
	tdpbssd(3, 4, 6)
	tdpbssd(2, 5, 6)
	// Prefetch the next rows: they are too short for the hardware prefetcher.
	CMPQ(nextA, lastA)
	JAE(LabelRef("fetched"))
	for line := range fetched {
		PREFETCHT1(Mem{Base: nextA, Disp: line * tileRow})
		PREFETCHT1(Mem{Base: nextB, Disp: line * tileRow})
	}
	ADDQ(I32(fetched*tileRow), nextA)
	ADDQ(I32(fetched*tileRow), nextB)
	Label("fetched")
	ADDQ(I32(tileRow), pa)
	ADDQ(I32(2*tileBytes), queries)
	DECQ(steps)
	JNE(LabelRef("steps"))
	for t := range byte(4) {
		tilestored(memory{sums, tile, int(t) * tileBytes}, t)
	}
	ADDQ(I32(4*tileBytes), sums)
	DECQ(groups)
	JNE(LabelRef("groups"))
	tilerelease()
	RET()
}

// joinInt8 writes the conversion of the sums of int8Products to scores.
func (s isa) joinInt8() {
	define("JoinInt8", "func(dst **float32, at int, sums *int32, rows, queries *float32)",
		"JoinInt8 computes dst[j][at/4+i] = rows[i]·queries[j]·(256·sums[16*i+j] + sums[256+16*i+j])",
		"for i < 16 and j < 16: what Int8 gives, times the scales of rows and queries.")
	dst := argument("dst")
	at := argument("at")
	sums := argument("sums")
	rows := argument("rows")
	queries := argument("queries")
	high := s.vec()
	scales := s.vec()
	bits := GP32()
	MOVL(U32(0x43800000), bits) // 256
	VPBROADCASTD(bits, high)
	VMOVUPS(Mem{Base: queries}, scales)
	v := s.vecs(16)
	low := s.vec()
	for i, r := range v {
		VCVTDQ2PS(Mem{Base: sums, Disp: i * tileRow}, r)
		VCVTDQ2PS(Mem{Base: sums, Disp: tileBytes + i*tileRow}, low)
		VFMADD213PS(low, high, r)
		VMULPS_BCST(Mem{Base: rows, Disp: 4 * i}, r, r)
		VMULPS(scales, r, r)
	}
	to := GP64()
	for j, r := range s.columnsOf(v) {
		MOVQ(Mem{Base: dst, Disp: 8 * j}, to)
		VMOVUPS(r, Mem{Base: to, Index: at, Scale: 1})
	}
	leave()
}
