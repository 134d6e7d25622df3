package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is the number of rows whose weighted sum is formed in registers before it is added to the accumulator.
// It bounds the length of a chain of additions: group within a group, the number of groups across groups.
const group = 64

// share is the number of bytes added to a sum per prefetched byte: about the rate at which memory can deliver
// while rows in L1 are added. More prefetching delays the reads of the next kernel.
const share = 4

// behind is the number of rows ahead that an indexed sum prefetches.
const behind = 4

// An axpy is the state of a weighted sum of rows.
type axpy struct {
	isa
	indexed  bool     // rows are selected by an index
	acc      []string // parameters, one for each accumulator
	weights  []reg.GPVirtual
	index    reg.GPVirtual
	rows     reg.GPVirtual
	distance reg.GPVirtual // distance in bytes to prefetched rows, if all are prefetched; else 0
	coming   reg.GPVirtual // address prefetched otherwise
	stride   reg.GPVirtual // bytes from row to row
	j        reg.GPVirtual // column
	count    reg.GPVirtual // rows of this group
}

// axpys writes the weighted sums of rows: one sum, and two sums of the same rows. Indexed sums are bound by
// memory, with AVX2 as with AVX-512.
func (s isa) axpys() {
	begin("AxpyRows")
	axpy{isa: s, acc: []string{"acc"}}.write("weights")
	begin("AxpyRows2")
	axpy{isa: s, acc: []string{"acc0", "acc1"}}.write("weights0", "weights1")
	if !s.wide() {
		begin("AxpyAt")
		axpy{isa: s, acc: []string{"acc"}, indexed: true}.write("weights")
	}
}

// write writes the kernel. Columns are processed in blocks of as many registers as are free, then in smaller
// ones.
func (a axpy) write(weights ...string) {
	s := a.isa
	for _, w := range weights {
		a.weights = append(a.weights, pointer(w))
	}
	// The width is reloaded on use, because registers are scarce.
	loadWidth := func() reg.GPVirtual { return length(a.acc[0]) }
	width := loadWidth()
	a.rows = pointer("rows")
	left := length(weights[0])
	a.stride = GP64()
	LEAQ(Mem{Base: width, Index: width, Scale: 1}, a.stride)
	ADDQ(a.stride, a.stride)
	rest := GP64()
	MOVQ(width, rest)
	ANDQ(I32(2*s.lanes-1), rest)
	t := s.tail(rest)
	a.j, a.count = GP64(), GP64()
	if a.indexed {
		a.index = pointer("index")
	} else {
		// Meanwhile, prefetch the next rows, or part of what follows the slice, where a sweep of a table continues,
		// into L2.
		a.distance, a.coming = GP64(), GP64()
		Load(Param("rows").Len(), a.coming)
		LEAQ(Mem{Base: a.rows, Index: a.coming, Scale: 4}, a.coming)
		MOVBQZX(prefetchAll(), a.distance)
		IMULQ(left, a.distance)
		IMULQ(a.stride, a.distance)
	}

	Label("group")
	TESTQ(left, left)
	JE(LabelRef("done"))
	MOVQ(U32(group), a.count)
	CMPQ(left, a.count)
	CMOVQLT(left, a.count)
	SUBQ(a.count, left)
	XORQ(a.j, a.j)
	for _, registers := range slices.Compact([]int{s.lanes / len(a.acc), 4, 2}) {
		name := fmt.Sprintf("columns%d", registers*s.lanes)
		blocks(name, a.j, registers*s.lanes, func() Op { return loadWidth() }, func() {
			a.block(name+"rows", registers,
				func(_ int, m Mem, weights, sums []reg.VecVirtual) {
					if len(sums) == 1 {
						VFMADD231PS(m, weights[0], sums[0])
						return
					}
					v := s.vec()
					VMOVUPS(m, v)
					for i, sum := range sums {
						VFMADD231PS(v, weights[i], sum)
					}
				},
				func(_ int, m Mem, sum reg.VecVirtual) {
					VADDPS(m, sum, sum)
					VMOVUPS(sum, m)
				})
		})
	}
	CMPQ(a.j, loadWidth())
	JE(LabelRef("next"))
	a.block("tailrows", 2,
		func(turn int, m Mem, weights, sums []reg.VecVirtual) {
			v := s.vec()
			t.load(m, turn, v)
			for i, sum := range sums {
				VFMADD231PS(v, weights[i], sum)
			}
		},
		func(turn int, m Mem, sum reg.VecVirtual) {
			v := s.vec()
			t.load(m, turn, v)
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
	leave()
}

// block adds the group's rows in the columns of some registers from j on.
func (a axpy) block(name string, registers int, fma func(turn int, m Mem, weights, sums []reg.VecVirtual), update func(turn int, m Mem, sum reg.VecVirtual)) {
	s := a.isa
	sums := make([][]reg.VecVirtual, registers) // by turn, accumulator
	for turn := range sums {
		sums[turn] = s.zeros(len(a.acc))
	}
	address := GP64()
	next := GP64()
	columns := GP64()
	i := GP64()
	weights := s.vecs(len(a.acc))
	bytes := registers * s.lanes * 4 // of a row
	// loop adds the rows, and prefetches the given number of lines at next.
	loop := func(name string, lines int, begin, end func()) {
		XORQ(i, i)
		Label(name)
		begin()
		for k, w := range weights {
			VBROADCASTSS(Mem{Base: a.weights[k], Index: i, Scale: 4}, w)
		}
		for turn := range sums {
			at := turn * s.lanes * 4
			fma(turn, Mem{Base: address, Disp: at}, weights, sums[turn])
			switch {
			case at%64 != 0 || at >= 64*lines:
			case a.indexed:
				PREFETCHT0(Mem{Base: next, Disp: at})
			default:
				PREFETCHT1(Mem{Base: next, Disp: at})
			}
		}
		end()
		INCQ(i)
		CMPQ(i, a.count)
		JL(LabelRef(name))
	}
	all := max(1, bytes/64)
	some := max(1, len(a.acc)*bytes/64/share)
	if a.indexed {
		LEAQ(Mem{Base: a.rows, Index: a.j, Scale: 4}, columns)
		loop(name, all, func() {
			a.at(i, columns, address)
			later := GP64()
			last := GP64()
			LEAQ(Mem{Base: i, Disp: behind}, later)
			LEAQ(Mem{Base: a.count, Disp: -1}, last)
			CMPQ(later, last)
			CMOVQGT(last, later)
			a.at(later, columns, next)
		}, func() {})
	} else {
		LEAQ(Mem{Base: a.rows, Index: a.j, Scale: 4}, address)
		TESTQ(a.distance, a.distance)
		JE(LabelRef(name + "some"))
		LEAQ(Mem{Base: address, Index: a.distance, Scale: 1}, next)
		loop(name+"all", all, func() {}, func() {
			ADDQ(a.stride, address)
			ADDQ(a.stride, next)
		})
		JMP(LabelRef(name + "sum"))
		Label(name + "some")
		MOVQ(a.coming, next)
		loop(name, some, func() {}, func() {
			ADDQ(a.stride, address)
			ADDQ(I32(64*some), next)
		})
		MOVQ(next, a.coming)
		Label(name + "sum")
	}
	for k, name := range a.acc {
		acc := pointer(name)
		for turn := range sums {
			update(turn, Mem{Base: acc, Index: a.j, Scale: 4, Disp: turn * s.lanes * 4}, sums[turn][k])
		}
	}
}

// at sets address to the columns of the row selected by entry i of the index.
func (a axpy) at(i, columns, address reg.GPVirtual) {
	MOVLQSX(Mem{Base: a.index, Index: i, Scale: 4}, address)
	IMULQ(a.stride, address)
	ADDQ(columns, address)
}
