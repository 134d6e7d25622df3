package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums16 writes weighted sums of 8-bit rows whose weights are integers of 16 bits, for AVX2: of
// groups of 64 rows.
func (s isa) sums16() {
	s.weights16()
	define("addRows16", "func(acc *float32, rows *int8, ints *[64]int16, unit float32, n, width int)",
		"addRows16 computes acc[j] += unit·Σ_i ints[i]·rows[i*width+j] for i < n. The integers are 0",
		"from n on. n is 1 to 64, width a multiple of 64.")
	sum16{isa: s, names: []string{""}}.write(64)
	define("addTwice16", "func(acc0, acc1 *float32, rows *int8, ints0, ints1 *[64]int16, unit0, unit1 float32, n, width int)",
		"addTwice16 is addRows16 for two sums of the same rows.")
	sum16{isa: s, names: []string{"0", "1"}}.write(32)
}

// weights16 writes the conversion of weights to integers.
func (s isa) weights16() {
	define("weights16", "func(ints *[64]int16, weights, scales *float32) float32",
		"weights16 computes the products of 64 weights and scales as integers of up to ±32512,",
		"which the largest absolute value, returned, becomes. They are undefined if the largest is",
		"0, near the ends of float32's range, or not finite.")
	to := argument("ints")
	weights := argument("weights")
	scales := argument("scales")
	products := s.vecs(8)
	sizes := s.zeros(1)[0]
	mask := s.broadcast(0x7fffffff)
	for i, p := range products {
		at := 4 * i * s.lanes
		size := s.vec()
		VMOVUPS(Mem{Base: weights, Disp: at}, p)
		VMULPS(Mem{Base: scales, Disp: at}, p, p)
		VANDPS(mask, p, size) // compared as integers, NaN exceeds infinity, which exceeds numbers
		VPMAXUD(size, sizes, sizes)
	}
	x := s.largestInt(sizes)
	all := s.vec()
	factor := s.broadcast(0x46fe0000) // 32512
	VBROADCASTSS(x, all)
	VDIVPS(all, factor, factor)
	for i := 0; i < len(products); i += 2 {
		first := products[i]
		second := products[i+1]
		for _, p := range []reg.VecVirtual{first, second} {
			VMULPS(factor, p, p)
			VCVTPS2DQ(p, p)
		}
		VPACKSSDW(second, first, first)
		VPERMQ(U8(0b11011000), first, first)
		VMOVDQU(first, Mem{Base: to, Disp: 2 * i * s.lanes})
	}
	give(x)
}

// A sum16 is the state of a kernel that adds a group of rows to one or more sums: two rows at a time, with the
// words of each column interleaved.
type sum16 struct {
	isa
	names []string // suffixes of the parameters of each sum
	rows  reg.GPVirtual
	width reg.GPVirtual
	j     reg.GPVirtual   // column
	ints  []reg.GPVirtual // of each sum: addresses of integers
}

// write writes the kernel, which processes the given number of columns at a time.
func (k sum16) write(columns int) {
	k.rows, k.width, k.j = argument("rows"), argument("width"), GP64()
	for _, name := range k.names {
		k.ints = append(k.ints, argument("ints"+name))
	}
	XORQ(k.j, k.j)
	blocks("columns", k.j, columns, func() Op { return k.width }, func() { k.columns(columns / 16) })
	leave()
}

// columns adds blocks of 16 columns from j on.
func (k sum16) columns(blocks int) {
	sums := make([][]reg.VecVirtual, len(k.names))
	for at := range k.names {
		sums[at] = k.zeros(2 * blocks)
	}
	row := GP64()
	i := GP64()
	left := GP64()
	LEAQ(Mem{Base: k.rows, Index: k.j, Scale: 1}, row)
	XORQ(i, i)
	Load(Param("n"), left)
	Label("rows")
	// The row beyond the last one is replaced by the last one, with weight 0.
	other := GP64()
	next := GP64()
	LEAQ(Mem{Base: row, Index: k.width, Scale: 1}, next)
	MOVQ(row, other)
	CMPQ(left, I8(1))
	CMOVQGT(next, other)
	weights := k.vecs(len(k.names))
	for at, w := range weights {
		VPBROADCASTD(Mem{Base: k.ints[at], Index: i, Scale: 2}, w)
	}
	for b := range blocks {
		first := k.vec()
		second := k.vec()
		VPMOVSXBW(Mem{Base: row, Disp: 16 * b}, first)
		VPMOVSXBW(Mem{Base: other, Disp: 16 * b}, second)
		for half, unpack := range []func(ops ...Op){VPUNPCKLWD, VPUNPCKHWD} {
			pairs := k.vec()
			unpack(second, first, pairs)
			for at, w := range weights {
				p := k.vec()
				VPMADDWD(w, pairs, p)
				VPADDD(p, sums[at][2*b+half], sums[at][2*b+half])
			}
		}
	}
	LEAQ(Mem{Base: row, Index: k.width, Scale: 2}, row)
	ADDQ(I32(2), i)
	SUBQ(I32(2), left)
	JG(LabelRef("rows"))
	for at, name := range k.names {
		k.add(name, sums[at])
	}
}

// add adds the products of blocks of 16 columns to a sum. The first register of a block has columns 0 to 3 and
// 8 to 11, the second one the others.
func (k sum16) add(name string, sums []reg.VecVirtual) {
	factor := k.param("unit" + name)
	acc := argument("acc" + name)
	for b := 0; b < len(sums); b += 2 {
		for half, lanes := range []uint8{0x20, 0x31} {
			v := k.vec()
			to := Mem{Base: acc, Index: k.j, Scale: 4, Disp: 4 * (8*b + 8*half)}
			total := k.vec()
			VPERM2I128(U8(lanes), sums[b+1], sums[b], v)
			VCVTDQ2PS(v, v)
			VMOVUPS(to, total)
			VFMADD231PS(factor, v, total)
			VMOVUPS(total, to)
		}
	}
}
