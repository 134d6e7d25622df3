package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// by returns the scale of query k in four lanes, as float64.
func (d dot8) by(k int) reg.VecVirtual {
	x := XMM()
	y := YMM()
	if d.queries == 1 {
		// Load would use a non-VEX instruction, which is slow when mixed with VEX ones.
		VBROADCASTSS(address(Param("by")), x)
	} else {
		by := pointer("by")
		VBROADCASTSS(Mem{Base: by, Disp: 4 * k}, x)
	}
	VCVTPS2PD(x, y)
	return y
}

// store adds the four lanes of each part and stores the sums contiguously at i, each multiplied by by and the
// scale of its row.
func (d dot8) store(parts []reg.Register, by reg.VecVirtual, dst reg.GPVirtual) {
	scales := Mem{Base: d.scales, Index: d.i, Scale: 4}
	to := Mem{Base: dst, Index: d.i, Scale: 4}
	x := sideBySide(parts, pairwise(VPADDD))
	if len(parts) == 4 {
		product := YMM()
		scale := YMM()
		VCVTDQ2PD(x, product)
		VCVTPS2PD(scales, scale)
		VMULPD(by, scale, scale)
		VMULPD(scale, product, product)
		result := XMM()
		VCVTPD2PSY(product, result)
		VMOVUPS(result, to)
		return
	}
	scale := XMM()
	product := XMM()
	if len(parts) == 2 {
		VCVTPS2PD(scales, scale)
	} else {
		VMOVSS(scales, scale)
		VCVTPS2PD(scale, scale)
	}
	VCVTDQ2PD(x, product)
	VMULPD(by.AsX(), scale, scale)
	VMULPD(scale, product, product)
	VCVTPD2PSX(product, product)
	if len(parts) == 2 {
		VMOVLPS(product, to)
	} else {
		VMOVSS(product, to)
	}
}
