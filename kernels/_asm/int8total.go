package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Weighted sums of rows of 16-bit integers, with AMX: matrices of weights, 16 queries by rows, are multiplied
// by the rows. The bytes of rows are interleaved, so that in each column the bytes of four rows are contiguous.
// Bytes of 64 rows and 64 columns form four tiles; tile k has the columns from 4·k on of each 16.
const (
	blockTiles = 8 // of 64 rows and 64 columns: four of high bytes, then four of low ones
	weighTiles = 2 // of 16 queries and 64 rows: high bytes, then low ones
)

// interleave8 writes the interleaving of rows.
func (s isa) interleave8() {
	define("InterleaveInt8", "func(tiles, rows *int8, row, steps, columns, next int)",
		"InterleaveInt8 makes tiles of steps times 64 rows, row bytes apart, of columns times 64",
		"columns: for each 64 columns, next bytes apart, and each step, 8 tiles apart, four tiles of",
		"16 times four rows. Column 16·i+4·k+j of rows 4·g to 4·g+3 is in tile k and its row g the",
		"number 4·i+j, of four bytes. No size is 0.")
	to := argument("tiles")
	from := argument("rows")
	row := argument("row")
	steps := argument("steps")
	next := argument("next")
	group := GP64()
	columns := GP64()
	third := GP64()
	dst := GP64()
	src := GP64()
	ahead := GP64()
	LEAQ(Mem{Base: row, Index: row, Scale: 2}, third)
	Label("steps")
	MOVQ(U32(16), group)
	Label("groups")
	Load(Param("columns"), columns)
	MOVQ(to, dst)
	MOVQ(from, src)
	MOVQ(row, ahead) // prefetch rows 64 ahead
	SHLQ(U8(6), ahead)
	ADDQ(from, ahead)
	Label("columns")
	codes := s.vecs(4)
	for i, m := range []Mem{{Base: src}, {Base: src, Index: row, Scale: 1}, {Base: src, Index: row, Scale: 2}, {Base: src, Index: third, Scale: 1}} {
		VMOVDQU32(m, codes[i])
	}
	PREFETCHT1(Mem{Base: ahead})
	PREFETCHT1(Mem{Base: ahead, Index: row, Scale: 1})
	PREFETCHT1(Mem{Base: ahead, Index: row, Scale: 2})
	PREFETCHT1(Mem{Base: ahead, Index: third, Scale: 1})
	s.interleave(codes, func(k int, quads reg.VecVirtual) { VMOVDQU32(quads, Mem{Base: dst, Disp: k * tileBytes}) })
	ADDQ(I32(tileRow), src)
	ADDQ(I32(tileRow), ahead)
	ADDQ(next, dst)
	DECQ(columns)
	JNE(LabelRef("columns"))
	LEAQ(Mem{Base: from, Index: row, Scale: 4}, from)
	ADDQ(I32(tileRow), to)
	DECQ(group)
	JNE(LabelRef("groups"))
	ADDQ(I32((blockTiles-1)*tileBytes), to)
	DECQ(steps)
	JNE(LabelRef("steps"))
	leave()
}

// weighInt8 writes the conversion of a query's weights to integers.
func (s isa) weighInt8() {
	define("WeighInt8", "func(bytes *int8, weights, scales *float32, steps int) float32",
		"WeighInt8 computes the products of steps times 64 weights and scales as integers of up to",
		"±32512, which the largest absolute value, returned, becomes. It writes a row of tiles: of",
		"each step, 2 tiles apart, 64 high bytes, and in the next tile low bytes, both signed: an",
		"integer is 256·high + low. They are undefined if the largest is 0, near the ends of",
		"float32's range, or not finite. steps is not 0. As many weights behind are fetched.")
	to := argument("bytes")
	weights := argument("weights")
	scales := argument("scales")
	steps := argument("steps")
	at := GP64()
	end := GP64()
	next := GP64()
	MOVQ(steps, end)
	SHLQ(U8(8), end)
	MOVQ(end, next)
	XORQ(at, at)
	mask := s.broadcast(0x7fffffff)
	sizes := s.zeros(4)
	Label("sizes")
	for i, size := range sizes {
		p := s.vec()
		VMOVUPS(Mem{Base: weights, Index: at, Scale: 1, Disp: 64 * i}, p)
		VMULPS(Mem{Base: scales, Index: at, Scale: 1, Disp: 64 * i}, p, p)
		VPANDD(mask, p, p) // compared as integers, NaN exceeds infinity, which exceeds numbers
		VPMAXUD(p, size, size)
		PREFETCHT1(Mem{Base: weights, Index: next, Scale: 1, Disp: 64 * i}) // the next block's
	}
	ADDQ(I32(256), next)
	ADDQ(I32(256), at)
	CMPQ(at, end)
	JNE(LabelRef("sizes"))
	x, factor, carry := s.weightScale(sizes)
	XORQ(at, at)
	Label("bytes")
	for i := range 4 {
		p := s.vec()
		VMULPS(Mem{Base: weights, Index: at, Scale: 1, Disp: 64 * i}, factor, p)
		VMULPS(Mem{Base: scales, Index: at, Scale: 1, Disp: 64 * i}, p, p)
		storeBytes(p, carry, Mem{Base: to, Disp: tileBytes + 16*i}, Mem{Base: to, Disp: 16 * i})
	}
	ADDQ(I32(weighTiles*tileBytes), to)
	ADDQ(I32(256), at)
	CMPQ(at, end)
	JNE(LabelRef("bytes"))
	give(x)
}

// weightScale returns the largest of the sizes of weights, in lane 0, the factor that scales weights to
// integers of up to ±32512, and the carry for storeBytes.
func (s isa) weightScale(sizes []reg.VecVirtual) (x, factor, carry reg.VecVirtual) {
	VPMAXUD(sizes[1], sizes[0], sizes[0])
	VPMAXUD(sizes[3], sizes[2], sizes[2])
	VPMAXUD(sizes[2], sizes[0], sizes[0])
	x = s.largestInt(sizes[0])
	all := s.vec()
	factor = s.broadcast(0x46fe0000) // 32512
	VBROADCASTSS(x, all)
	VDIVPS(all, factor, factor)
	return x, factor, s.broadcast(128)
}

// storeBytes rounds numbers to integers and stores their low and high bytes. It overwrites p.
func storeBytes(p, carry reg.VecVirtual, low, high Mem) {
	VCVTPS2DQ(p, p)
	b := XMM()
	VPMOVDB(p, b)
	VMOVDQU(b, low)
	VPADDD(carry, p, p)
	VPSRAD(U8(8), p, p)
	VPMOVDB(p, b)
	VMOVDQU(b, high)
}

// largestInt returns the largest of the unsigned integers of v in lane 0.
func (s isa) largestInt(v reg.VecVirtual) reg.VecVirtual {
	x := s.fold(v, VPMAXUD)
	other := XMM()
	for _, lanes := range []uint8{0b01001110, 0b10110001} {
		VPSHUFD(U8(lanes), x, other)
		VPMAXUD(other, x, x)
	}
	return x
}

// totalInt8 writes the products of weights and rows. Tiles 0 and 1 are sums of products of high bytes, of 16
// columns each, and 2 and 3 of a high byte with a low one. Tiles 4 and 5 hold the bytes of weights, 6 and 7 the
// bytes of rows.
func (s isa) totalInt8() {
	config := tileShapes()
	define("TotalInt8", "func(acc *float32, row int, weights *int8, units *float32, tiles *int8, steps, groups, columns int, sums *int32)",
		"TotalInt8 computes, with TDPBSSD, acc[j][l] += units[j]·Σ_i w[j][i]·(high + low/256 of row i",
		"in column l), for groups times 16 queries j whose numbers are row bytes apart, columns times",
		"64 columns l, and steps times 64 rows i. weights holds, for each group, the integers w as",
		"WeighInt8 writes them, 64 bytes from query to query, tiles the rows as InterleaveInt8 does,",
		"without gaps, sums has room for 8 tiles. Products of two low bytes are left out. No size is 0.")
	pa := reg.RDX
	pb := reg.R9
	tile := reg.RBX
	sums := reg.RAX
	steps := reg.RCX
	groups := reg.R11
	weights := reg.RSI
	rows := reg.RDI
	columns := reg.R10
	acc := reg.R8
	units := reg.R12
	row := reg.R13
	left := reg.R15
	from := reg.RBP
	LEAQ(config, sums)
	ldtilecfg(memory{base: sums})
	Load(Param("sums"), sums)
	Load(Param("tiles"), rows)
	Load(Param("columns"), columns)
	Load(Param("row"), row)
	MOVQ(I32(tileRow), tile)
	high := s.broadcast(0x43800000) // 256
	Label("columns")
	Load(Param("groups"), groups)
	Load(Param("weights"), weights)
	Load(Param("units"), units)
	Load(Param("acc"), acc)
	Label("groups")
	for half := range 2 {
		name := []string{"first", "second"}[half]
		for t := range byte(4) {
			tilezero(t)
		}
		MOVQ(weights, pa)
		LEAQ(Mem{Base: rows, Disp: half * 2 * tileBytes}, pb)
		Load(Param("steps"), steps)
		Label(name)
		// Each sum depends on its last product, so products of other sums are interleaved.
		tileloadd(4, memory{pa, tile, 0})
		tileloadd(6, memory{pb, tile, 4 * tileBytes})
		tdpbssd(2, 4, 6)
		tileloadd(7, memory{pb, tile, 5 * tileBytes})
		tdpbssd(3, 4, 7)
		tileloadd(6, memory{pb, tile, 0})
		tdpbssd(0, 4, 6)
		tileloadd(5, memory{pa, tile, tileBytes})
		tdpbssd(2, 5, 6)
		tileloadd(7, memory{pb, tile, tileBytes})
		tdpbssd(3, 5, 7)
		tdpbssd(1, 4, 7)
		ADDQ(I32(weighTiles*tileBytes), pa)
		ADDQ(I32(blockTiles*tileBytes), pb)
		DECQ(steps)
		JNE(LabelRef(name))
		for t := range byte(2) {
			tilestored(memory{sums, tile, (2*half + int(t)) * tileBytes}, t)
			tilestored(memory{sums, tile, (4 + 2*half + int(t)) * tileBytes}, 2+t)
		}
	}
	MOVQ(sums, from)
	MOVQ(U32(16), left)
	Label("join")
	unit := s.vec()
	v := s.vecs(4)
	low := s.vec()
	VBROADCASTSS(Mem{Base: units}, unit)
	for k, r := range v {
		VCVTDQ2PS(Mem{Base: from, Disp: k * tileBytes}, r)
		VCVTDQ2PS(Mem{Base: from, Disp: (4 + k) * tileBytes}, low)
		VFMADD213PS(low, high, r)
	}
	for k, r := range s.transpose(v) {
		VFMADD213PS(Mem{Base: acc, Disp: 64 * k}, unit, r)
		VMOVUPS(r, Mem{Base: acc, Disp: 64 * k})
	}
	ADDQ(I32(tileRow), from)
	ADDQ(I8(4), units)
	ADDQ(row, acc)
	DECQ(left)
	JNE(LabelRef("join"))
	MOVQ(pa, weights) // the weights of the next group
	DECQ(groups)
	JNE(LabelRef("groups"))
	Load(Param("steps"), steps)
	IMUL3Q(I32(blockTiles*tileBytes), steps, steps)
	ADDQ(steps, rows)
	ADDQ(I32(256), address(Param("acc")))
	DECQ(columns)
	JNE(LabelRef("columns"))
	tilerelease()
	leave()
}
