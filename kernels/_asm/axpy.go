package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is the number of rows whose weighted sum is formed in registers before
// it is added to the accumulator. It bounds the number of additions in a chain:
// group for one part, the number of groups for the other.
const group = 64

// share is one in how many bytes of those that are added to a sum is prefetched: about
// what memory can send while rows are added that are in L1 already. Asking for more
// delays what the next kernel reads.
const share = 4

// behind is how many rows ahead an indexed sum prefetches.
const behind = 4

// An axpy is the state of a weighted sum of rows.
type axpy struct {
	isa
	element  element
	sums     int      // accumulators
	indexed  bool     // rows are selected by an index
	acc      []string // parameters, one for each accumulator
	weights  []reg.GPVirtual
	index    reg.GPVirtual
	rows     reg.GPVirtual
	distance reg.GPVirtual // bytes to the rows that are prefetched, if all are
	coming   reg.GPVirtual // address of what is prefetched otherwise
	stride   reg.GPVirtual // bytes from row to row
	j        reg.GPVirtual // column
	count    reg.GPVirtual // rows of this group
}

// axpys writes the weighted sums of rows of one element: one sum, two sums of the
// same rows, and one of rows selected by an index.
func (s isa) axpys(f element) {
	s.begin("AxpyRows", f)
	axpy{isa: s, element: f, sums: 1}.write()
	s.begin("AxpyRows2", f)
	axpy{isa: s, element: f, sums: 2}.write()
	if !s.form(f) { // one form of it prefetches well everywhere
		s.begin("AxpyAt", f)
		axpy{isa: s, element: f, sums: 1, indexed: true}.write()
	}
}

// write writes the kernel. Columns are taken in blocks of as many registers as
// there is room for, then smaller ones.
func (a axpy) write() {
	s, f := a.isa, a.element
	weights := []string{"weights"}
	a.acc = []string{"acc"}
	if a.sums > 1 {
		a.acc, weights = []string{"acc0", "acc1"}, []string{"weights0", "weights1"}
	}
	for _, w := range weights {
		a.weights = append(a.weights, Load(Param(w).Base(), GP64()).(reg.GPVirtual))
	}
	// The width is reloaded where it is needed: registers are few.
	loadWidth := func() reg.GPVirtual { return Load(Param(a.acc[0]).Len(), GP64()).(reg.GPVirtual) }
	width := loadWidth()
	a.rows = Load(Param("rows").Base(), GP64()).(reg.GPVirtual)
	left := Load(Param(weights[0]).Len(), GP64()).(reg.GPVirtual)
	a.stride = GP64()
	LEAQ(Mem{Base: width, Index: width, Scale: 1}, a.stride)
	if f.size == 4 {
		ADDQ(a.stride, a.stride)
	}
	rest := GP64()
	MOVQ(width, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	t := s.tail(rest, f.size == 2)
	pairs := s.pairs(f)
	a.j, a.count = GP64(), GP64()
	if a.indexed {
		a.index = Load(Param("index").Base(), GP64()).(reg.GPVirtual)
	} else {
		// Prefetch the rows after these, or some of what follows the slice, into L2
		// while these are added: a pass over a table goes on there.
		a.distance, a.coming = GP64(), GP64()
		if s.ahead {
			MOVQ(left, a.distance)
			IMULQ(a.stride, a.distance)
		} else {
			Load(Param("rows").Len(), a.coming)
			LEAQ(Mem{Base: a.rows, Index: a.coming, Scale: uint8(f.size)}, a.coming)
		}
	}

	Label("group")
	TESTQ(left, left)
	JE(LabelRef("done"))
	MOVQ(U32(group), a.count)
	CMPQ(left, a.count)
	CMOVQLT(left, a.count)
	SUBQ(a.count, left)
	XORQ(a.j, a.j)
	for _, registers := range slices.Compact([]int{s.lanes / a.sums, 4, 2}) {
		name := fmt.Sprintf("columns%d", registers*s.lanes)
		end := GP64()
		Label(name)
		LEAQ(Mem{Base: a.j, Disp: registers * s.lanes}, end)
		CMPQ(end, loadWidth())
		JG(LabelRef(name + "done"))
		var even reg.VecVirtual // the sums of the turn before
		a.block(name+"rows", registers,
			func(turn int, m Mem, weights, sums []reg.VecVirtual) {
				if pairs != nil {
					m.Disp -= turn % 2 * s.lanes * f.size
					v := s.vec()
					pairs.load(m, turn, v)
					for i, sum := range sums {
						VFMADD231PS(v, weights[i], sum)
					}
					return
				}
				if a.sums == 1 {
					s.fma(f, m, weights[0], sums[0])
					return
				}
				v := s.vec()
				s.load(f, m, v)
				for i, sum := range sums {
					VFMADD231PS(v, weights[i], sum)
				}
			},
			func(turn int, m Mem, sum reg.VecVirtual) {
				if pairs == nil {
					VADDPS(m, sum, sum)
					VMOVUPS(sum, m)
					return
				}
				if turn%2 == 0 {
					even = sum
					return
				}
				first, second := pairs.order(even, sum)
				before := m
				before.Disp -= s.lanes * 4
				VADDPS(before, first, first)
				VMOVUPS(first, before)
				VADDPS(m, second, second)
				VMOVUPS(second, m)
			})
		ADDQ(I32(registers*s.lanes), a.j)
		JMP(LabelRef(name))
		Label(name + "done")
	}
	CMPQ(a.j, loadWidth())
	JE(LabelRef("next"))
	a.block("tailrows", 2,
		func(turn int, m Mem, weights, sums []reg.VecVirtual) {
			v := s.vec()
			t.load(f, m, turn, v)
			for i, sum := range sums {
				VFMADD231PS(v, weights[i], sum)
			}
		},
		func(turn int, m Mem, sum reg.VecVirtual) {
			v := s.vec()
			t.load(float32s, m, turn, v)
			VADDPS(v, sum, sum)
			t.store(sum, turn, m)
		})

	Label("next")
	for _, w := range a.weights {
		LEAQ(Mem{Base: w, Index: a.count, Scale: 4}, w)
	}
	if a.indexed {
		LEAQ(Mem{Base: a.index, Index: a.count, Scale: 4}, a.index)
	} else {
		IMULQ(a.stride, a.count)
		ADDQ(a.count, a.rows)
	}
	JMP(LabelRef("group"))
	Label("done")
	VZEROUPPER()
	RET()
}

// block adds the group's rows in the columns of some registers from j on.
func (a axpy) block(name string, registers int, fma func(turn int, m Mem, weights, sums []reg.VecVirtual), update func(turn int, m Mem, sum reg.VecVirtual)) {
	s, size := a.isa, a.element.size
	sums := make([][]reg.VecVirtual, registers) // by turn, accumulator
	for turn := range sums {
		sums[turn] = s.zeros(a.sums)
	}
	address, next, i := GP64(), GP64(), GP64()
	columns := GP64()
	if a.indexed {
		LEAQ(Mem{Base: a.rows, Index: a.j, Scale: uint8(size)}, columns)
	} else {
		LEAQ(Mem{Base: a.rows, Index: a.j, Scale: uint8(size)}, address)
		if s.ahead {
			LEAQ(Mem{Base: address, Index: a.distance, Scale: 1}, next)
		}
	}
	XORQ(i, i)
	weights := s.vecs(a.sums)
	Label(name)
	if a.indexed {
		a.at(i, columns, address)
		later, last := GP64(), GP64()
		LEAQ(Mem{Base: i, Disp: behind}, later)
		LEAQ(Mem{Base: a.count, Disp: -1}, last)
		CMPQ(later, last)
		CMOVQGT(last, later)
		a.at(later, columns, next)
	}
	for k, w := range weights {
		VBROADCASTSS(Mem{Base: a.weights[k], Index: i, Scale: 4}, w)
	}
	lines := max(1, a.sums*registers*s.lanes*size/64/share)
	for turn := range sums {
		at := turn * s.lanes * size
		fma(turn, Mem{Base: address, Disp: at}, weights, sums[turn])
		switch {
		case at%64 != 0:
		case a.indexed:
			PREFETCHT0(Mem{Base: next, Disp: at})
		case s.ahead:
			PREFETCHT1(Mem{Base: next, Disp: at})
		case at < 64*lines:
			PREFETCHT1(Mem{Base: a.coming, Disp: at})
		}
	}
	if !a.indexed {
		ADDQ(a.stride, address)
		if s.ahead {
			ADDQ(a.stride, next)
		} else {
			ADDQ(I32(64*lines), a.coming)
		}
	}
	INCQ(i)
	CMPQ(i, a.count)
	JL(LabelRef(name))
	for k, name := range a.acc {
		acc := Load(Param(name).Base(), GP64()).(reg.GPVirtual)
		for turn := range sums {
			update(turn, Mem{Base: acc, Index: a.j, Scale: 4, Disp: turn * s.lanes * 4}, sums[turn][k])
		}
	}
}

// at sets address to the columns of the row that the index has at i.
func (a axpy) at(i, columns, address reg.GPVirtual) {
	MOVLQSX(Mem{Base: a.index, Index: i, Scale: 4}, address)
	IMULQ(a.stride, address)
	ADDQ(columns, address)
}
