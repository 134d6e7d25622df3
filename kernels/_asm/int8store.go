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

// mask returns a mask of the given bits.
func mask(bits uint32) reg.OpmaskVirtual {
	g := GP32()
	k := K()
	MOVL(U32(bits), g)
	KMOVW(g, k)
	return k
}

// scaleQueries loads the scales of the queries for store8, one for each row of a query.
func (d *dot8) scaleQueries(rows int) {
	by := pointer("by")
	scales := YMM()
	for k := range d.queries {
		VBROADCASTSS(Mem{Base: by, Disp: 4 * k}, mask((1<<rows-1)<<(k*rows)), scales)
	}
	d.factors = d.vec()
	VCVTPS2PD(scales, d.factors)
	d.pairs = mask(0x3333)
}

// store8 adds the lanes of eight registers, by query and row, and stores the sums as store does.
func (d dot8) store8(all []reg.VecVirtual, dst []reg.GPVirtual) {
	add := func(shuffle func(ops ...Op), x, y reg.VecVirtual) reg.VecVirtual {
		even := d.vec()
		odd := d.vec()
		shuffle(U8(0b10001000), y, x, even)
		shuffle(U8(0b11011101), y, x, odd)
		VPADDD(odd, even, even)
		return even
	}
	quarters := func(x ...reg.VecVirtual) reg.VecVirtual { // quarter i is the sum of those of register i
		return add(VSHUFI32X4, add(VSHUFI32X4, x[0], x[1]), add(VSHUFI32X4, x[2], x[3]))
	}
	x := add(VSHUFPS, quarters(all[0], all[2], all[4], all[6]), quarters(all[1], all[3], all[5], all[7]))
	x = add(VSHUFPS, x, x)
	VPCOMPRESSD_Z(x, d.pairs, x)

	rows := 8 / d.queries
	at := Mem{Base: d.scales, Index: d.i, Scale: 4}
	scales := YMM()
	if rows == 2 {
		VBROADCASTSD(at, scales)
	} else {
		VBROADCASTF128(at, scales)
	}
	product := d.vec()
	scale := d.vec()
	VCVTDQ2PD(x.AsY(), product)
	VCVTPS2PD(scales, scale)
	VMULPD(d.factors, scale, scale)
	VMULPD(scale, product, product)
	result := YMM()
	VCVTPD2PS(product, result)
	half := result.AsX()
	for k := range dst {
		to := Mem{Base: dst[k], Index: d.i, Scale: 4}
		if k*rows == 4 {
			half = XMM()
			VEXTRACTF128(U8(1), result, half)
		}
		switch {
		case rows == 4:
			VMOVUPS(half, to)
		case k%2 == 0:
			VMOVLPS(half, to)
		default:
			VMOVHPS(half, to)
		}
	}
}
