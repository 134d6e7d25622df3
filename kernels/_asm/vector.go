package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// greaterEqual is a comparison that is false for NaN.
const greaterEqual = 0x1d

// vectors writes the element-wise kernels and the reductions. Most are bound by the second-level cache with
// AVX2 as with AVX-512, so AVX-512 has only those that gain.
func (s isa) vectors() {
	s.sumAbove()
	s.indexAbove()
	if s.wide() {
		return
	}
	s.max()
	s.scaleClip()
	s.elements("ScaleAbove", []string{"x"}, []string{"eps", "scale"}, func(v, p []reg.VecVirtual) {
		x := v[0]
		k := s.vec()
		VCMPPS(U8(greaterEqual), p[0], x, k)
		VMULPS(p[1], x, x)
		VANDPS(k, x, x)
	})
	both := []string{"x", "y"}
	s.elements("Add", both, nil, func(v, _ []reg.VecVirtual) { VADDPS(v[1], v[0], v[0]) })
	s.elements("Mul", both, nil, func(v, _ []reg.VecVirtual) { VMULPS(v[1], v[0], v[0]) })
	s.elements("MaxOf", both, nil, func(v, _ []reg.VecVirtual) { VMAXPS(v[1], v[0], v[0]) })
	s.elements("Scale", []string{"x"}, []string{"s"}, func(v, p []reg.VecVirtual) { VMULPS(p[0], v[0], v[0]) })
	s.elements("ScaleAdd", both, []string{"a"}, func(v, p []reg.VecVirtual) {
		VMULPS(p[0], v[1], v[1])
		VADDPS(v[1], v[0], v[0])
	})
	s.elements("AddConst", []string{"x"}, []string{"c"}, func(v, p []reg.VecVirtual) { VADDPS(p[0], v[0], v[0]) })
}

// elements writes an element-wise kernel: compute sets v[0], from the operands v and the parameters p.
func (s isa) elements(name string, operands, params []string, compute func(v, p []reg.VecVirtual)) {
	begin(name)
	dst := pointer("dst")
	n := length("dst")
	var bases []reg.GPVirtual
	for _, o := range operands {
		bases = append(bases, pointer(o))
	}
	var p []reg.VecVirtual
	for _, name := range params {
		p = append(p, s.param(name))
	}
	s.walk(n, 4, func(at place) {
		var v []reg.VecVirtual
		for _, b := range bases {
			v = append(v, at.load(b))
		}
		compute(v, p)
		at.store(v[0], dst)
	})
	leave()
}

// max writes the reduction to the largest entry.
func (s isa) max() {
	begin("Max")
	x := pointer("x")
	n := length("x")
	give(s.largest(x, n))
}

// largest returns a register that holds the largest of n entries in its four lanes.
// Lanes beyond the end count as −∞.
func (s isa) largest(x, n reg.GPVirtual) reg.Register {
	least := s.broadcast(0xff800000)
	tops := s.vecs(4)
	for _, v := range tops {
		VMOVAPS(least, v)
	}
	s.walkAs("max", n, len(tops), func(p place) {
		v := p.load(x)
		top := tops[p.turn]
		switch {
		case p.mask == nil:
			VMAXPS(top, v, top)
		case s.wide():
			VMAXPS(top, v, p.mask, top)
		default:
			VBLENDVPS(p.mask, v, least, v)
			VMAXPS(top, v, top)
		}
	})
	a := s.fold(merge(tops, VMAXPS), VMAXPS)
	b := XMM()
	VSHUFPS(U8(0b01001110), a, a, b)
	VMAXPS(a, b, b)
	VSHUFPS(U8(0b10110001), b, b, a)
	VMAXPS(a, b, b)
	return b
}

// sumAbove writes the sum of the entries above a bound. Halves of registers are
// widened to float64.
func (s isa) sumAbove() {
	begin("SumAbove")
	x := pointer("x")
	n := length("x")
	eps := s.param("eps")
	sums := s.zeros(8)
	if !s.wide() {
		sums = sums[:4]
	}
	s.walk(n, len(sums)/2, func(p place) {
		v := p.load(x)
		if s.wide() {
			k := K()
			VCMPPS(U8(greaterEqual), eps, v, k)
			VMOVAPS_Z(v, k, v)
		} else {
			k := s.vec()
			VCMPPS(U8(greaterEqual), eps, v, k)
			VANDPS(k, v, v)
		}
		low := s.vec()
		high := s.vec()
		VCVTPS2PD(s.half(v), low)
		if s.wide() {
			VEXTRACTF64X4(U8(1), v, high.AsY())
		} else {
			s.upper(v, high.AsX())
		}
		VCVTPS2PD(s.half(high), high)
		VADDPD(low, sums[2*p.turn], sums[2*p.turn])
		VADDPD(high, sums[2*p.turn+1], sums[2*p.turn+1])
	})
	a := s.fold(merge(sums, VADDPD), VADDPD)
	b := XMM()
	VUNPCKHPD(a, a, b)
	VADDSD(b, a, a)
	VCVTSD2SS(a, a, a)
	give(a)
}
