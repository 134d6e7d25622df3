package main

import (
	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of package product's panels, in bytes.
const (
	tileRow   = 64 // 16 pairs of bfloat16 numbers
	tileBytes = 16 * tileRow
	termBytes = 2 * tileBytes // the two tiles of a panel
)

// products writes the kernels of package amx: products of panels, the packing of panels, and products
// of integers.
func (s isa) products() {
	panels()
	panelsDP()
	for terms := range 3 {
		s.pack(terms + 1)
	}
	s.transposeTile()
	int8Products()
	s.joinInt8()
	s.interleave8()
	s.weighInt8()
	s.totalInt8()
}

// tileShapes returns where the shapes of tiles are: 16 rows of 64 bytes each.
func tileShapes() Mem {
	return table("tileShapes", func() {
		shapes := [64]byte{0: 1} // palette 1
		for tile := range 8 {
			shapes[16+2*tile] = tileRow // bytes in a row
			shapes[48+tile] = 16        // rows
		}
		for i := 0; i < len(shapes); i += 8 {
			DATA(i, U64(binary.LittleEndian.Uint64(shapes[i:])))
		}
	})
}

// The registers of both products of panels: parts of C, the remaining steps, the panels, the addresses of
// their terms, and the pairs of terms.
var (
	rc, rRow, rSteps = reg.RAX, reg.RBX, reg.RCX
	ra, rb, pa, pb   = reg.RSI, reg.RDI, reg.RDX, reg.R9
	rPairs, rEnd     = reg.R13, reg.R10
)

// eachPair writes the loops over the steps of two panels and, in each, the pairs of terms at pa and pb.
func eachPair(multiply func()) {
	Label("steps")
	Load(Param("pairs"), rPairs)
	Label("pairs")
	MOVQ(Mem{Base: rPairs}, pa)
	ADDQ(ra, pa)
	MOVQ(Mem{Base: rPairs, Disp: 8}, pb)
	ADDQ(rb, pb)
	multiply()
	ADDQ(I8(16), rPairs)
	CMPQ(rPairs, rEnd)
	JNE(LabelRef("pairs"))
	ADDQ(address(Param("aStep")), ra)
	ADDQ(address(Param("bStep")), rb)
	DECQ(rSteps)
	JNE(LabelRef("steps"))
}

// panels writes the product by AMX: tiles 0 to 3 are the four quarters of a part of C, 4 and 5 belong
// to A, 6 and 7 to B.
func panels() {
	config := tileShapes()
	define("Panels", "func(c *float32, a, b *uint16, pairs *[2]int, rowBytes, steps, aStep, bStep, columns, count, add int)",
		"Panels computes C += A·B, or C = A·B where add is 0, with TDPBF16PS.",
		"C has 32 rows, rowBytes apart, and columns times 32 columns. a is the panel of A, b",
		"are the panels of B, one after another. A panel has steps steps of depth 32, aStep",
		"and bStep bytes apart; in each one, count pairs of terms are multiplied, whose",
		"offsets in bytes pairs holds: of A's, then of B's. No size is 0.")
	rTileRow := reg.R8
	rColumns := reg.R11
	rLower := reg.R12
	LEAQ(config, rc)
	ldtilecfg(memory{base: rc})
	Load(Param("c"), rc)
	Load(Param("rowBytes"), rRow)
	Load(Param("b"), rb)
	Load(Param("columns"), rColumns)
	Load(Param("count"), rEnd)
	SHLQ(U8(4), rEnd)
	ADDQ(address(Param("pairs")), rEnd)
	MOVQ(I32(tileRow), rTileRow)
	MOVQ(rRow, rLower)
	SHLQ(U8(4), rLower)
	ADDQ(rc, rLower)
	quarters := []memory{{rc, rRow, 0}, {rc, rRow, tileRow}, {rLower, rRow, 0}, {rLower, rRow, tileRow}}

	Label("columns")
	CMPQ(address(Param("add")), I8(0))
	JE(LabelRef("zero"))
	for i, m := range quarters {
		tileloadd(byte(i), m)
	}
	JMP(LabelRef("begin"))
	Label("zero")
	for i := range quarters {
		tilezero(byte(i))
	}
	Label("begin")
	Load(Param("a"), ra)
	Load(Param("steps"), rSteps)
	eachPair(func() {
		tileloadd(4, memory{pa, rTileRow, 0})
		tileloadd(6, memory{pb, rTileRow, 0})
		tdpbf16ps(0, 4, 6)
		tileloadd(7, memory{pb, rTileRow, tileBytes})
		tdpbf16ps(1, 4, 7)
		tileloadd(5, memory{pa, rTileRow, tileBytes})
		tdpbf16ps(2, 5, 6)
		tdpbf16ps(3, 5, 7)
	})
	for i, m := range quarters {
		tilestored(m, byte(i))
	}
	ADDQ(I32(2*tileRow), rc)
	ADDQ(I32(2*tileRow), rLower)
	DECQ(rColumns)
	JNE(LabelRef("columns"))
	tilerelease()
	RET()
}

// panelsDP writes the product of panels by AVX-512: 8 rows of a panel at a time, whose
// numbers registers 0 to 15 hold.
func panelsDP() {
	const rows, vectors, unroll = 8, 2, 2
	define("PanelsDP", "func(c *float32, a, b *uint16, pairs *[2]int, rowBytes, steps, aStep, bStep, columns, count, add int)",
		"PanelsDP is Panels with VDPBF16PS.")
	rPart := reg.R8
	pc := reg.R12
	rDepth := reg.R11
	rColumns := reg.R15
	z := func(i int) reg.Register { return reg.Vector.Lookup(reg.Index(i), reg.S512) }
	// eachSum calls do for the numbers of C that a register holds.
	eachSum := func(do func(m Mem, sum reg.Register)) {
		MOVQ(rc, pc)
		for r := range rows {
			for v := range vectors {
				do(Mem{Base: pc, Disp: v * tileRow}, z(r*vectors+v))
			}
			ADDQ(rRow, pc)
		}
	}
	Load(Param("c"), rc)
	Load(Param("rowBytes"), rRow)
	Load(Param("columns"), rColumns)
	Load(Param("count"), rEnd)
	SHLQ(U8(4), rEnd)
	ADDQ(address(Param("pairs")), rEnd)

	Label("columns")
	XORQ(rPart, rPart)
	Label("part")
	CMPQ(address(Param("add")), I8(0))
	JE(LabelRef("zero"))
	eachSum(func(m Mem, sum reg.Register) { VMOVUPS(m, sum) })
	JMP(LabelRef("begin"))
	Label("zero")
	for i := range rows * vectors {
		VPXORD(z(i), z(i), z(i))
	}
	Label("begin")
	Load(Param("a"), ra)
	ADDQ(rPart, ra)
	Load(Param("b"), rb)
	Load(Param("steps"), rSteps)
	eachPair(func() {
		MOVQ(I32(16/unroll), rDepth)
		Label("depth")
		for l := range unroll {
			const first = rows * vectors
			for v := range vectors {
				VMOVUPS(Mem{Base: pb, Disp: l*tileRow + v*tileBytes}, z(first+v))
			}
			for r := range rows {
				x := first + vectors + r
				VPBROADCASTD(Mem{Base: pa, Disp: r*tileRow + 4*l}, z(x))
				for v := range vectors {
					vdpbf16ps(byte(r*vectors+v), byte(x), byte(first+v))
				}
			}
		}
		ADDQ(I8(4*unroll), pa)
		ADDQ(I32(tileRow*unroll), pb)
		DECQ(rDepth)
		JNE(LabelRef("depth"))
	})
	eachSum(func(m Mem, sum reg.Register) { VMOVUPS(sum, m) })
	MOVQ(pc, rc)
	ADDQ(I32(rows*tileRow), rPart)
	CMPQ(rPart, I32(termBytes))
	JNE(LabelRef("part"))
	// The next columns of C, whose panel comes after this one.
	SHLQ(U8(5), rRow)
	SUBQ(rRow, rc)
	SHRQ(U8(5), rRow)
	ADDQ(I32(vectors*tileRow), rc)
	MOVQ(rb, address(Param("b")))
	DECQ(rColumns)
	JNE(LabelRef("columns"))
	leave()
}
