package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums8 writes weighted sums of 8-bit rows whose weights are integers of 16 bits, for
// AVX-512 VNNI: of groups of 64 rows.
func (s isa) sums8() {
	s.weights8()
	s.addRows8()
}

// weights8 writes how weights become integers.
func (s isa) weights8() {
	TEXT("weights8", attr.NOSPLIT, "func(bytes *[128]int8, weights, scales *float32) float32")
	Doc("weights8 computes the products of 64 weights and scales as integers of up to ±32512,",
		"which the largest absolute value, returned, becomes. It fills bytes with the low bytes",
		"of the integers, then the high bytes, signed: an integer is 256·high + low. They are",
		"undefined if the largest is 0, near the ends of float32's range, or not finite.")
	Pragma("noescape")
	to := Load(Param("bytes"), GP64()).(reg.GPVirtual)
	weights := Load(Param("weights"), GP64()).(reg.GPVirtual)
	scales := Load(Param("scales"), GP64()).(reg.GPVirtual)
	products, sizes := s.vecs(4), s.vecs(4)
	mask := s.broadcast(0x7fffffff)
	for i, p := range products {
		at := i * 4 * s.lanes
		VMOVUPS(Mem{Base: weights, Disp: at}, p)
		VMULPS(Mem{Base: scales, Disp: at}, p, p)
		VPANDD(mask, p, sizes[i]) // as integers NaN is above infinity, and that above numbers
	}
	VPMAXUD(sizes[1], sizes[0], sizes[0])
	VPMAXUD(sizes[3], sizes[2], sizes[2])
	VPMAXUD(sizes[2], sizes[0], sizes[0])
	x := s.largestInt(sizes[0])
	all, factor := s.vec(), s.broadcast(0x46fe0000) // 32512
	VBROADCASTSS(x, all)
	VDIVPS(all, factor, factor)
	carry := s.broadcast(128)
	for i, p := range products {
		VMULPS(factor, p, p)
		VCVTPS2DQ(p, p)
		b := XMM()
		VPMOVDB(p, b)
		VMOVDQU(b, Mem{Base: to, Disp: 16 * i})
		VPADDD(carry, p, p)
		VPSRAD(U8(8), p, p)
		VPMOVDB(p, b)
		VMOVDQU(b, Mem{Base: to, Disp: 64 + 16*i})
	}
	ret, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(x, ret.Addr)
	VZEROUPPER()
	RET()
}

// addRows8 writes the sum of a group of rows: four rows at a time, whose bytes are
// interleaved so that four of a column lie side by side.
func (s isa) addRows8() {
	TEXT("addRows8", attr.NOSPLIT, "func(acc *float32, rows *int8, bytes *[128]int8, unit float32, n, width int)")
	Doc("addRows8 computes acc[j] += unit·Σ_i weights[i]·rows[i*width+j] for i < n, where bytes",
		"holds the weights as weights8 leaves them, 0 from n on. n is 1 to 64, width a multiple",
		"of 64.")
	Pragma("noescape")
	rows := Load(Param("rows"), GP64()).(reg.GPVirtual)
	bytes := Load(Param("bytes"), GP64()).(reg.GPVirtual)
	width := Load(Param("width"), GP64()).(reg.GPVirtual)
	flip := s.broadcast(0x80808080)

	Comment("What 128 added to every code adds to every sum, with the sign reversed.")
	parts := s.zeros(2)
	vpdpbusd(Mem{Base: bytes}, flip, parts[0])
	vpdpbusd(Mem{Base: bytes, Disp: 64}, flip, parts[1])
	VPSLLD(U8(8), parts[1], parts[1])
	VPADDD(parts[0], parts[1], parts[1])
	x := s.foldInts(parts[1])
	x = hadd(x, x)
	x = hadd(x, x)
	share, bias := s.vec(), s.vec()
	VPBROADCASTD(x, share)
	s.zero(bias)
	VPSUBD(share, bias, bias)

	j := GP64()
	XORQ(j, j)
	for _, columns := range []int{128, 64} {
		name := map[int]string{128: "columns128", 64: "columns64"}[columns]
		end := GP64()
		Label(name)
		LEAQ(Mem{Base: j, Disp: columns}, end)
		CMPQ(end, width)
		JG(LabelRef(name + "done"))
		s.addColumns(name, columns/64, rows, bytes, width, j, flip, bias)
		ADDQ(I32(columns), j)
		JMP(LabelRef(name))
		Label(name + "done")
	}
	VZEROUPPER()
	RET()
}

// addColumns adds blocks of 64 columns from j on.
func (s isa) addColumns(name string, blocks int, rows, bytes, width, j reg.GPVirtual, flip, bias reg.VecVirtual) {
	low, high := s.zeros(4*blocks), s.zeros(4*blocks)
	row, i, left := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: rows, Index: j, Scale: 1}, row)
	XORQ(i, i)
	Load(Param("n"), left)
	Label(name + "rows")
	// Rows beyond the last one are the last one again, with weight 0.
	addresses := []reg.GPVirtual{row}
	for r := 1; r < 4; r++ {
		a, next := GP64(), GP64()
		LEAQ(Mem{Base: addresses[r-1], Index: width, Scale: 1}, next)
		MOVQ(addresses[r-1], a)
		CMPQ(left, I8(int8(r)))
		CMOVQGT(next, a)
		addresses = append(addresses, a)
	}
	weights := s.vecs(2)
	VPBROADCASTD(Mem{Base: bytes, Index: i, Scale: 1}, weights[0])
	VPBROADCASTD(Mem{Base: bytes, Index: i, Scale: 1, Disp: 64}, weights[1])
	for b := range blocks {
		codes := s.vecs(4)
		for r, v := range codes {
			VPXORD(Mem{Base: addresses[r], Disp: 64 * b}, flip, v)
		}
		pairs := s.vecs(4)
		VPUNPCKLBW(codes[1], codes[0], pairs[0])
		VPUNPCKHBW(codes[1], codes[0], pairs[1])
		VPUNPCKLBW(codes[3], codes[2], pairs[2])
		VPUNPCKHBW(codes[3], codes[2], pairs[3])
		for k := range 4 {
			quads := s.vec()
			if k%2 == 0 {
				VPUNPCKLWD(pairs[2+k/2], pairs[k/2], quads)
			} else {
				VPUNPCKHWD(pairs[2+k/2], pairs[k/2], quads)
			}
			vpdpbusd(weights[0], quads, low[4*b+k])
			vpdpbusd(weights[1], quads, high[4*b+k])
		}
	}
	LEAQ(Mem{Base: row, Index: width, Scale: 4}, row)
	ADDQ(I32(4), i)
	SUBQ(I32(4), left)
	JG(LabelRef(name + "rows"))

	unit, err := Param("unit").Resolve()
	if err != nil {
		panic(err)
	}
	factor := s.vec()
	VBROADCASTSS(unit.Addr, factor)
	acc := Load(Param("acc"), GP64()).(reg.GPVirtual)
	for b := range blocks {
		sums := low[4*b : 4*b+4]
		for k, sum := range sums {
			VPSLLD(U8(8), high[4*b+k], high[4*b+k])
			VPADDD(high[4*b+k], sum, sum)
			VPADDD(bias, sum, sum)
		}
		for k, v := range s.transpose(sums) {
			at := Mem{Base: acc, Index: j, Scale: 4, Disp: 4 * (64*b + 16*k)}
			total := s.vec()
			VCVTDQ2PS(v, v)
			VMOVUPS(at, total)
			VFMADD231PS(factor, v, total)
			VMOVUPS(total, at)
		}
	}
}

// transpose exchanges the quarters of four registers: quarter i of register k of the
// result is quarter k of register i.
func (s isa) transpose(v []reg.VecVirtual) []reg.VecVirtual {
	half, out := s.vecs(4), s.vecs(4)
	const even, odd = 0b10001000, 0b11011101
	VSHUFI32X4(U8(even), v[1], v[0], half[0])
	VSHUFI32X4(U8(odd), v[1], v[0], half[1])
	VSHUFI32X4(U8(even), v[3], v[2], half[2])
	VSHUFI32X4(U8(odd), v[3], v[2], half[3])
	VSHUFI32X4(U8(even), half[2], half[0], out[0])
	VSHUFI32X4(U8(even), half[3], half[1], out[1])
	VSHUFI32X4(U8(odd), half[2], half[0], out[2])
	VSHUFI32X4(U8(odd), half[3], half[1], out[3])
	return out
}
