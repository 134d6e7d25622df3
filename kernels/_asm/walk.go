package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A place is a register-sized range of positions in vectors of the same length: a whole register, or one near
// the end that a mask may cut short.
type place struct {
	isa
	index reg.GPVirtual // of the first position
	turn  int           // registers from there
	mask  reg.Register  // nil if whole
}

func (p place) at(base reg.GPVirtual) Mem {
	return Mem{Base: base, Index: p.index, Scale: 4, Disp: p.turn * p.lanes * 4}
}

// load returns the numbers of the vector at base; lanes masked off are zero.
func (p place) load(base reg.GPVirtual) reg.VecVirtual {
	v := p.vec()
	switch {
	case p.mask == nil:
		VMOVUPS(p.at(base), v)
	case p.wide():
		VMOVUPS_Z(p.at(base), p.mask, v)
	default:
		VMASKMOVPS(p.at(base), p.mask, v)
	}
	return v
}

// store sets the numbers of the vector at base.
func (p place) store(v reg.VecVirtual, base reg.GPVirtual) {
	switch {
	case p.mask == nil:
		VMOVUPS(v, p.at(base))
	case p.wide():
		VMOVUPS(v, p.mask, p.at(base))
	default:
		VMASKMOVPS(v, p.mask, p.at(base))
	}
}

// walk iterates over vectors of length n, unroll registers at a time, then one at a time with a mask. step is
// written for each place of an iteration.
func (s isa) walk(n reg.GPVirtual, unroll int, step func(p place)) { s.walkAs("", n, unroll, step) }

// walkAs is walk with a label prefix, for kernels that walk twice.
func (s isa) walkAs(prefix string, n reg.GPVirtual, unroll int, step func(p place)) {
	i := GP64()
	end := GP64()
	XORQ(i, i)
	LEAQ(Mem{Base: n, Disp: -unroll * s.lanes}, end)
	Label(prefix + "whole")
	CMPQ(i, end)
	JG(LabelRef(prefix + "rest"))
	for turn := range unroll {
		step(place{s, i, turn, nil})
	}
	ADDQ(I32(unroll*s.lanes), i)
	JMP(LabelRef(prefix + "whole"))
	Label(prefix + "rest")
	left := GP64()
	MOVQ(n, left)
	SUBQ(i, left)
	JLE(LabelRef(prefix + "reduce"))
	step(place{s, i, 0, s.first(left)})
	ADDQ(I32(s.lanes), i)
	JMP(LabelRef(prefix + "rest"))
	Label(prefix + "reduce")
}

// blocks writes the loop over whole blocks of the given size from at on: body processes one of them, while it
// ends no later than limit.
func blocks(name string, at reg.GPVirtual, size int, limit func() Op, body func()) {
	end := GP64()
	Label(name)
	LEAQ(Mem{Base: at, Disp: size}, end)
	CMPQ(end, limit())
	JG(LabelRef(name + "done"))
	body()
	ADDQ(I32(size), at)
	JMP(LabelRef(name))
	Label(name + "done")
}

// first returns a mask of the first n lanes, or of all lanes if there are fewer; n is below 256. It overwrites
// n.
func (s isa) first(n reg.GPVirtual) reg.Register {
	if s.wide() {
		ones := GP64()
		k := K()
		MOVQ(I32(-1), ones)
		BZHIQ(n, ones, ones)
		KMOVW(ones.As32(), k)
		return k
	}
	all := GP64()
	mask := YMM()
	MOVQ(U32(s.lanes), all)
	CMPQ(all, n)
	CMOVQLT(all, n)
	VMOVUPS(Mem{Base: s.masksFor(n)}, mask)
	return mask
}
