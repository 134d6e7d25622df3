package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// This file encodes the instructions that Go's assembler lacks: AMX, and AVX-512 for bfloat16 numbers.
// Registers are physical, because bytes are emitted before avo allocates registers. Formats and opcodes follow
// the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3 (VEX) and 2.7
// (EVEX).

// emit adds an encoded instruction to the function, with its text in Intel syntax as a comment.
func emit(bytes []byte, text string, args ...any) {
	list := make([]string, len(bytes))
	for i, x := range bytes {
		list[i] = fmt.Sprintf("BYTE $0x%02x", x)
	}
	build.Instruction(&ir.Instruction{Opcode: strings.Join(list, "; ") + " // " + fmt.Sprintf(text, args...)})
}

// A memory is an address: base + index + disp.
type memory struct {
	base, index reg.GPPhysical // index is nil for none
	disp        int
}

func (m memory) String() string {
	s := "[" + intelName(m.base)
	if m.index != nil {
		s += " + " + intelName(m.index)
	}
	if m.disp != 0 {
		s += fmt.Sprintf(" + %d", m.disp)
	}
	return s + "]"
}

// number returns the encoding of a general register.
func number(r reg.GPPhysical) byte {
	return byte(r.PhysicalIndex()) // avo uses the same numbers
}

func intelName(r reg.GPPhysical) string {
	return [...]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}[number(r)]
}

// Values of the field pp, the implied prefix.
const (
	noPrefix = 0
	prefixF3 = 2
	prefixF2 = 3
)

// vex returns the three-byte prefix of map 0F38 with L and W 0. The bits r, x and b
// extend the fields of ModRM and SIB; v is the additional register.
func vex(pp, r, x, b, v byte) []byte {
	return []byte{0xc4, (1-r)<<7 | (1-x)<<6 | (1-b)<<5 | 2, (15-v)<<3 | pp}
}

// registers returns a ModRM byte of two registers.
func registers(r, rm byte) byte { return 3<<6 | r&7<<3 | rm&7 }

// withMemory returns ModRM, SIB and 32-bit displacement for a register and an address.
func withMemory(r byte, m memory) []byte {
	disp := []byte{byte(m.disp), byte(m.disp >> 8), byte(m.disp >> 16), byte(m.disp >> 24)}
	const follows = 4 // in ModRM: a SIB byte follows; in its field index: none
	base := number(m.base) & 7
	switch {
	case m.index != nil:
		return append([]byte{2<<6 | r&7<<3 | follows, number(m.index)&7<<3 | base}, disp...)
	case base == follows:
		return append([]byte{2<<6 | r&7<<3 | follows, follows<<3 | base}, disp...)
	}
	return append([]byte{2<<6 | r&7<<3 | base}, disp...)
}

// tileMemory encodes an instruction with a tile and a memory operand.
func tileMemory(pp, opcode, tile byte, m memory) []byte {
	x := byte(0)
	if m.index != nil {
		x = number(m.index) >> 3
	}
	return append(append(vex(pp, 0, x, number(m.base)>>3, 0), opcode), withMemory(tile, m)...)
}

// ldtilecfg configures the tiles.
func ldtilecfg(m memory) { emit(tileMemory(noPrefix, 0x49, 0, m), "ldtilecfg %s", m) }

// tilerelease releases the tiles.
func tilerelease() { emit(append(vex(noPrefix, 0, 0, 0, 0), 0x49, 0xc0), "tilerelease") }

// tilezero clears a tile.
func tilezero(tile byte) {
	emit(append(vex(prefixF2, 0, 0, 0, 0), 0x49, registers(tile, 0)), "tilezero tmm%d", tile)
}

// tileloadd loads a tile whose rows are index bytes apart.
func tileloadd(tile byte, m memory) {
	emit(tileMemory(prefixF2, 0x4b, tile, m), "tileloadd tmm%d, %s", tile, m)
}

// tilestored stores a tile with rows index bytes apart.
func tilestored(m memory, tile byte) {
	emit(tileMemory(prefixF3, 0x4b, tile, m), "tilestored %s, tmm%d", m, tile)
}

// tdpbf16ps adds to tile c the product of the tiles a and b.
func tdpbf16ps(c, a, b byte) {
	emit(append(vex(prefixF3, 0, 0, 0, b), 0x5c, registers(c, a)), "tdpbf16ps tmm%d, tmm%d, tmm%d", c, a, b)
}

// tdpbssd adds to tile c the product of the tiles a and b, of signed bytes.
func tdpbssd(c, a, b byte) {
	emit(append(vex(prefixF2, 0, 0, 0, b), 0x5e, registers(c, a)), "tdpbssd tmm%d, tmm%d, tmm%d", c, a, b)
}

// evex encodes an instruction of three zmm registers, of map 0F38 with W 0.
func evex(pp, opcode, dst, x, y byte) []byte {
	not := func(bit byte) byte { return 1 - bit&1 }
	return []byte{
		0x62,
		not(dst>>3)<<7 | not(y>>4)<<6 | not(y>>3)<<5 | not(dst>>4)<<4 | 2,
		(15-x&15)<<3 | 1<<2 | pp,
		2<<5 | not(x>>4)<<3,
		opcode,
		registers(dst, y),
	}
}

// vcvtne2ps2bf16 rounds the numbers of two zmm registers to bfloat16: low to the lower half of dst,
// high to the upper half.
func vcvtne2ps2bf16(dst, high, low byte) {
	emit(evex(prefixF2, 0x72, dst, high, low), "vcvtne2ps2bf16 zmm%d, zmm%d, zmm%d", dst, high, low)
}

// vdpbf16ps adds to each number of c the products of a pair of numbers of a with one of b.
func vdpbf16ps(c, a, b byte) {
	emit(evex(prefixF3, 0x52, c, a, b), "vdpbf16ps zmm%d, zmm%d, zmm%d", c, a, b)
}
