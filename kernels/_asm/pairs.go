package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs reads bfloat16 numbers two to a lane of AVX-512: a shift gives the numbers of even
// columns, a mask those of odd ones, where widening and shifting each of them takes
// twice as many instructions. Of two registers full of columns, turn 0 holds the even
// ones then and turn 1 the odd ones.
type pairs struct {
	isa
	high reg.VecVirtual    // upper halves of all lanes
	part [2]reg.VecVirtual // of two registers, the positions of even and of odd columns
}

// pairs returns nil where numbers are not read in pairs.
func (s isa) pairs(f element) *pairs {
	if !s.wide() || f != bfloat16s {
		return nil
	}
	return &pairs{isa: s, high: s.broadcast(0xffff0000)}
}

// split loads what pick needs.
func (p *pairs) split() {
	for turn := range p.part {
		p.part[turn] = p.vec()
		VMOVDQU32(p.table(func(lane int) int { return 2*lane + turn }), p.part[turn])
	}
}

// tables holds the tables of positions of the file, by name.
var tables = map[string]Mem{}

// table returns the address of indices for a permutation, one for each of the functions
// that differ at lane 1.
func (p *pairs) table(of func(lane int) int) Mem {
	name := fmt.Sprintf("positions%dand%d", of(0), of(1))
	m, ok := tables[name]
	if !ok {
		m = GLOBL(name, rodata)
		for lane := range p.lanes {
			DATA(4*lane, U32(of(lane)))
		}
		tables[name] = m
	}
	return m
}

// load sets v to the numbers of a turn, of two registers full at m.
func (p *pairs) load(m Mem, turn int, v reg.VecVirtual) {
	if turn%2 == 0 {
		VPSLLD(U8(16), m, v)
	} else {
		VPANDD(m, p.high, v)
	}
}

// pick sets v to those of two registers full of float32 numbers, at m, that belong to a turn.
func (p *pairs) pick(m Mem, turn int, v reg.VecVirtual) {
	VMOVUPS(m, v)
	m.Disp += 4 * p.lanes
	VPERMT2PS(m, p.part[turn], v)
}

// order sets even and odd, numbers of two turns, to the numbers in the order of columns.
func (p *pairs) order(even, odd reg.VecVirtual) (first, second reg.VecVirtual) {
	first, second = p.vec(), p.vec()
	VMOVDQU32(p.table(func(lane int) int { return lane/2 + lane%2*p.lanes }), first)
	VMOVDQU32(p.table(func(lane int) int { return p.lanes/2 + lane/2 + lane%2*p.lanes }), second)
	VPERMI2PS(odd, even, first)
	VPERMI2PS(odd, even, second)
	return first, second
}
