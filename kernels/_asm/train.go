package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// train writes the kernels of training: the register tiles of package ref's Gemm, the exponentials of
// a softmax over rows, and Adagrad.
func (s isa) train() {
	rows := []int{14, 4, 1}
	vectors := []int{2, 1}
	if !s.wide() {
		rows = []int{6, 4, 1}
		vectors = []int{2}
	}
	for _, v := range vectors {
		for _, r := range rows {
			s.viewTile(r, v)
		}
	}
	s.expShifts()
	s.adagrad()
}

// viewTile writes the product for a fixed number of rows of a and columns of b.
func (s isa) viewTile(rows, vectors int) {
	name := fmt.Sprintf("viewTile%dx%d", rows, vectors*s.lanes)
	define(name, "func(c, a, b *float32, depth, cRow, aRow, aCol, bRow int)",
		fmt.Sprintf("%s computes c[i*cRow+j] += Σ_l a[i*aRow+l*aCol]·b[l*bRow+j] for", name),
		fmt.Sprintf("i < %d, j < %d and l < depth; depth is not 0.", rows, vectors*s.lanes))
	stride := func(name string) reg.GPVirtual {
		r := argument(name)
		SHLQ(U8(2), r)
		return r
	}
	a := argument("a")
	b := argument("b")
	l := argument("depth")
	aRow := stride("aRow")
	aCol := stride("aCol")
	bRow := stride("bRow")
	pointers, rowAt := spaced(a, aRow, rows)
	sums := make([][]reg.VecVirtual, rows)
	for r := range sums {
		sums[r] = s.zeros(vectors)
	}
	Label("depth")
	values := s.vecs(vectors)
	for i, v := range values {
		VMOVUPS(Mem{Base: b, Disp: i * 4 * s.lanes}, v)
	}
	weight := s.vec()
	for r := range rows {
		VBROADCASTSS(rowAt(r, 0), weight)
		for i, v := range values {
			VFMADD231PS(v, weight, sums[r][i])
		}
	}
	for _, p := range pointers {
		ADDQ(aCol, p)
	}
	ADDQ(bRow, b)
	DECQ(l)
	JNE(LabelRef("depth"))
	c := argument("c")
	cRow := stride("cRow")
	for _, row := range sums {
		for i, sum := range row {
			at := Mem{Base: c, Disp: i * 4 * s.lanes}
			VADDPS(at, sum, sum)
			VMOVUPS(sum, at)
		}
		ADDQ(cRow, c)
	}
	leave()
}

// expShifts writes the exponential of a vector with a shift for each entry.
func (s isa) expShifts() {
	begin("ExpShifts")
	dst := pointer("dst")
	x := pointer("x")
	shifts := pointer("shifts")
	sums := pointer("sums")
	n := length("dst")
	e := s.newExp()
	s.walk(n, 2, func(p place) {
		v := p.load(x)
		shift := p.load(shifts)
		VSUBPS(shift, v, v)
		e.exp(v, p)
		p.store(v, dst)
		sum := p.load(sums)
		VADDPS(v, sum, sum)
		p.store(sum, sums)
	})
	leave()
}

// adagrad writes a step of Adagrad. It walks both halves of a row at once.
func (s isa) adagrad() {
	begin("AdagradN3")
	half := length("x")
	SHRQ(U8(1), half)
	operand := func(name string) (halves [2]reg.GPVirtual) {
		halves[0] = pointer(name)
		halves[1] = GP64()
		LEAQ(Mem{Base: halves[0], Index: half, Scale: 4}, halves[1])
		return halves
	}
	x := operand("x")
	squares := operand("squares")
	grad := operand("grad")
	rate := s.param("rate")
	n3 := s.param("n3")
	least := s.broadcast(math.Float32bits(1e-10))
	s.walk(half, 2, func(p place) {
		values := [2]reg.VecVirtual{p.load(x[0]), p.load(x[1])}
		size := s.vec()
		VMULPS(values[0], values[0], size)
		VFMADD231PS(values[1], values[1], size)
		VSQRTPS(size, size)
		VMULPS(n3, size, size)
		for i, v := range values {
			g := p.load(grad[i])
			VFMADD231PS(size, v, g)
			p.store(g, grad[i])
			sum := p.load(squares[i])
			VFMADD231PS(g, g, sum)
			p.store(sum, squares[i])
			VSQRTPS(sum, sum)
			VADDPS(least, sum, sum)
			VMULPS(rate, g, g)
			VDIVPS(sum, g, g)
			VSUBPS(g, v, v)
			p.store(v, x[i])
		}
	})
	leave()
}
