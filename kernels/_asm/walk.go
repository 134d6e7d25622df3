package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A place is a register's worth of positions in vectors of one length: a whole
// one, or one at the end of which part is masked off.
type place struct {
	isa
	index reg.GPVirtual // of the first position
	turn  int           // registers from there
	tail  *tail         // nil if whole
}

func (p place) at(base reg.GPVirtual) Mem {
	return Mem{Base: base, Index: p.index, Scale: 4, Disp: p.turn * p.lanes * 4}
}

// load returns the numbers of the vector at base; lanes masked off are zero.
func (p place) load(base reg.GPVirtual) reg.VecVirtual {
	v := p.vec()
	if p.tail != nil {
		p.tail.load(float32s, p.at(base), p.turn, v)
	} else {
		VMOVUPS(p.at(base), v)
	}
	return v
}

// store sets the numbers of the vector at base.
func (p place) store(v reg.VecVirtual, base reg.GPVirtual) {
	if p.tail != nil {
		p.tail.store(v, p.turn, p.at(base))
	} else {
		VMOVUPS(v, p.at(base))
	}
}

// walk goes through vectors of length n, unroll registers at a time, then two,
// then masked. The step is written for each place of an iteration.
func (s isa) walk(n reg.GPVirtual, unroll int, step func(p place)) { s.walkAs("", n, unroll, step) }

// walkAs is walk with labels that begin with prefix, for kernels that walk twice.
func (s isa) walkAs(prefix string, n reg.GPVirtual, unroll int, step func(p place)) {
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	t := s.tail(rest, false)
	i, end := GP64(), GP64()
	XORQ(i, i)
	for _, registers := range []int{unroll, 2} {
		name := fmt.Sprintf("%sregisters%d", prefix, registers)
		LEAQ(Mem{Base: n, Disp: -registers * s.lanes}, end)
		Label(name)
		CMPQ(i, end)
		JG(LabelRef(name + "done"))
		for turn := range registers {
			step(place{s, i, turn, nil})
		}
		ADDQ(I32(registers*s.lanes), i)
		JMP(LabelRef(name))
		Label(name + "done")
		if unroll == 2 {
			break
		}
	}
	CMPQ(i, n)
	JE(LabelRef(prefix + "reduce"))
	for turn := range 2 {
		step(place{s, i, turn, &t})
	}
	Label(prefix + "reduce")
}
