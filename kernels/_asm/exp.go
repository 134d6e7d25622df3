package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The exponential is 2^n·e^r, where n is the integer nearest to t·log2(e) and r
// what remains of t, at most ln(2)/2 in size. ln(2) is split in two so that r is
// exact to the last bits. e^r is 1 + r + r²·p(r), with p of degree 4
// interpolated at Chebyshev nodes: off by less than 0.09·2^-23.
var (
	log2e   = math.Float32bits(math.Log2E)
	ln2High = math.Float32bits(math.Ln2)
	ln2Low  = uint32(0xb102e308)
	// Of r^6 down to r^0.
	expPolynomial = []uint32{0x3ab6888b, 0x3c0905be, 0x3d2aaa8d, 0x3e2aaa6e, 0x3f000000, 0x3f800000, 0x3f800000}
	// Below this the exponential is denormal.
	expLeast = uint32(0xc2aeac4f) // −87.33654
	// Above this it is infinite.
	expMost  = uint32(0x42b17217) // 88.72283
	infinite = uint32(0x7f800000)
)

// exps writes the exponentials.
func (s isa) exps() {
	s.expSum()
	s.expMax()
}

// expSum writes the exponential of a vector.
func (s isa) expSum() {
	begin("ExpSum")
	dst := pointer("dst")
	n := length("dst")
	x := pointer("x")
	shift := s.param("shift")
	e := s.newExp()
	unroll := s.lanes / 4
	sums := s.zeros(unroll)
	s.walk(n, unroll, func(p place) {
		VADDPS(e.shifted(p, dst, x, shift), sums[p.turn], sums[p.turn])
	})
	give(s.sum(merge(sums, VADDPS)))
}

// expMax writes the exponential of a vector relative to a running maximum.
func (s isa) expMax() {
	begin("ExpMax")
	x := pointer("x")
	n := length("dst")
	top := s.largest(x, n)
	VMAXSS(address(Param("top")), top, top)
	shift := s.vec()
	VBROADCASTSS(top, shift)
	dst := pointer("dst")
	e := s.newExp()
	s.walk(n, 2, func(p place) { e.shifted(p, dst, x, shift) })
	give(top)
}

// exp holds the constants of the exponential: in registers in AVX-512, in
// memory in AVX2, which has too few.
type exp struct {
	isa
	log2e, ln2High, ln2Low Op
	least, most, infinite  Op
	polynomial             []Op
}

// newExp returns the constants: one copy of each in AVX-512, a register of copies in AVX2.
func (s isa) newExp() exp {
	constants := append([]uint32{log2e, ln2High, ln2Low, expLeast, expMost, infinite}, expPolynomial...)
	copies := s.lanes
	if s.wide() {
		copies = 1
	}
	memory := table("expTable", func() {
		for i := range copies * len(constants) {
			DATA(4*i, U32(constants[i/copies]))
		}
	})
	ops := make([]Op, len(constants))
	for i := range ops {
		ops[i] = memory.Offset(4 * copies * i)
		if s.wide() {
			v := s.vec()
			VBROADCASTSS(ops[i], v)
			ops[i] = v
		}
	}
	return exp{s, ops[0], ops[1], ops[2], ops[3], ops[4], ops[5], ops[6:]}
}

// shifted sets the numbers of dst to the exponentials of x less shift, and returns them.
func (e exp) shifted(p place, dst, x reg.GPVirtual, shift reg.VecVirtual) reg.VecVirtual {
	v := p.load(x)
	VSUBPS(shift, v, v)
	e.exp(v, p)
	p.store(v, dst)
	return v
}

// exp sets v to its exponential: 0 where it would be denormal, and 0 in the
// lanes of p that are masked off.
func (e exp) exp(v reg.VecVirtual, p place) {
	const (
		notLess = 0x15
		greater = 0x1e
	)
	if e.wide() {
		// Lanes masked off hold 0 − shift, which may lie above the bound too.
		compare := func(predicate U8, bound Op) reg.Register {
			k := K()
			if p.mask != nil {
				VCMPPS(predicate, bound, v, p.mask, k)
			} else {
				VCMPPS(predicate, bound, v, k)
			}
			return k
		}
		keep := compare(notLess, e.least)
		over := compare(greater, e.most)
		VMINPS(v, e.most, v)
		n := e.vec()
		VMULPS(e.log2e, v, n)
		VRNDSCALEPS(U8(8), n, n)
		power := e.power(v, n)
		VSCALEFPS_Z(n, power, keep, v)
		VMOVAPS(e.infinite, over, v)
		return
	}
	keep := e.vec()
	over := e.vec()
	VCMPPS(U8(notLess), e.least, v, keep)
	VCMPPS(U8(greater), e.most, v, over)
	if p.mask != nil {
		VANDPS(p.mask, keep, keep)
	}
	most := e.vec()
	VMOVUPS(e.most, most)
	VMINPS(v, most, v)
	n := e.vec()
	exponent := e.vec()
	VMULPS(e.log2e, v, n)
	VCVTPS2DQ(n, exponent)
	VCVTDQ2PS(exponent, n)
	power := e.power(v, n)
	VPSLLD(U8(23), exponent, exponent)
	VPADDD(exponent, power, power)
	VBLENDVPS(over, e.infinite, power, power)
	VANDPS(keep, power, v)
}

// power returns the exponential of t − n·ln(2). It overwrites t.
func (e exp) power(t, n reg.VecVirtual) reg.VecVirtual {
	VFNMADD231PS(e.ln2High, n, t)
	VFNMADD231PS(e.ln2Low, n, t)
	power := e.vec()
	VMOVUPS(e.polynomial[0], power)
	for _, c := range e.polynomial[1:] {
		VFMADD213PS(c, t, power)
	}
	return power
}
