package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The width of an 8-bit table is a multiple of int8Columns.
const int8Columns = 64

// ahead8 is how many bytes ahead products with VNNI prefetch codes into the second-level cache: about a block of a
// sweep of codes. They do so only from memory and if no sum of the same rows follows: from the third-level cache, the
// processor itself prefetches what they read, and instructions for it cost a fourth of the time.
const ahead8 = 32 << 10

// soon8 is how many bytes ahead rows are prefetched into the first-level cache: by products of words without
// low bytes, and by products of bytes with one or two queries and low bytes, which makes these 10% faster,
// whether the rows are cached or in memory.
const soon8 = 2 << 10

// ints8 writes the kernels that read 8-bit rows.
func (s isa) ints8() {
	s.dots8()
	begin("AxpyAtI8")
	axpy8{isa: s, indexed: true}.write()
	if s.wide() {
		s.sums8()
	} else {
		s.rows8()
		s.sums16()
	}
}

// A dot8 is the state of a kernel for products of 8-bit rows with queries of 16-bit integers. All sums are
// exact, in 32 bits, so they may be computed in any order. AVX2 multiplies words, AVX-512 bytes, with each half
// of the query. Low bytes are multiplied with the high bytes of the query; these products have the same weight
// as the products of codes with the query's low bytes.
type dot8 struct {
	isa
	queries int
	lows    bool          // rows have low bytes
	toLow   reg.GPVirtual // from a code to its low byte
	q       reg.GPVirtual // queries, one after the other
	row     reg.GPVirtual // address of the next row
	scales  reg.GPVirtual
	width   reg.GPVirtual // columns, equal to the bytes of a row
	i       reg.GPVirtual // row
	far     reg.GPVirtual // whether to prefetch codes
	flip    reg.VecVirtual
	shares  []reg.VecVirtual  // by query: the term that flips adds to a product
	pairs   reg.OpmaskVirtual // the first two lanes of each quarter
	factors reg.VecVirtual    // for store8
}

// dots8 writes the products of 8-bit rows with one, two and four queries. AVX2 multiplies words; AVX-512
// multiplies bytes and needs VNNI, without which package simd uses the AVX2 kernels.
func (s isa) dots8() {
	for _, d := range []dot8{{queries: 1}, {queries: 2}, {queries: 4}, {queries: 1, lows: true}, {queries: 2, lows: true}, {queries: 4, lows: true}} {
		d.isa = s
		name := map[int]string{1: "DotRows", 2: "DotRows2", 4: "DotRows4"}[d.queries] + map[bool]string{false: "I8", true: "I16"}[d.lows]
		rows := min(4, 8/d.queries)
		if !s.wide() {
			if d.lows {
				rows = 2 // there are 16 registers
			}
			begin(name)
			d.write(rows)
			continue
		}
		define(name+"VNNI", functions[name].signature(),
			fmt.Sprintf("%sVNNI computes %s by products of bytes, which need AVX-512 VNNI.", name, name))
		d.write(rows)
	}
}

// vpdpbusd adds to each 32-bit lane of sum the products of four unsigned bytes of u
// with four signed bytes at m.
func vpdpbusd(m Op, u, sum reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: []Op{m, u, sum},
		Inputs:   []Op{m, u, sum},
		Outputs:  []Op{sum},
		ISA:      []string{"AVX512_VNNI"},
	})
}

func (d dot8) write(rows int) {
	n := length(numbered("dst", 0, d.queries))
	d.row = pointer("rows")
	if d.lows {
		d.toLow = pointer("lows")
		SUBQ(d.row, d.toLow)
	}
	d.scales, d.q, d.width = pointer("scales"), pointer("q"), length("q")
	SHRQ(U8(bits.Len(uint(d.queries))), d.width)
	if d.wide() {
		d.far = GP64()
		MOVBQZX(address(Param("far")), d.far)
		d.flips()
		if d.queries > 1 {
			d.scaleQueries(rows)
		}
	}
	d.i = GP64()
	XORQ(d.i, d.i)
	for _, rows := range []int{rows, 1} {
		next := fmt.Sprintf("next%d", rows)
		done := fmt.Sprintf("done%d", rows)
		end := GP64()
		Label(next)
		LEAQ(Mem{Base: d.i, Disp: rows}, end)
		CMPQ(end, n)
		JG(LabelRef(done))
		d.block(rows)
		ADDQ(I32(rows), d.i)
		JMP(LabelRef(next))
		Label(done)
	}
	leave()
}

// flips computes the negated part of each query's products that results from adding 128 to every code and low
// byte to make it unsigned.
func (d *dot8) flips() {
	d.flip = d.broadcast(0x80808080)
	at := GP64()
	MOVQ(d.q, at)
	for k := range d.queries {
		low := GP64()
		high := GP64()
		j := GP64()
		LEAQ(Mem{Base: at, Index: d.width, Scale: 2}, low)
		LEAQ(Mem{Base: low, Index: d.width, Scale: 1}, high)
		sums := d.zeros(2)
		XORQ(j, j)
		name := fmt.Sprintf("flip%d", k)
		Label(name)
		CMPQ(j, d.width)
		JGE(LabelRef(name + "done"))
		vpdpbusd(Mem{Base: low, Index: j, Scale: 1}, d.flip, sums[0])
		vpdpbusd(Mem{Base: high, Index: j, Scale: 1}, d.flip, sums[1])
		if d.lows {
			vpdpbusd(Mem{Base: high, Index: j, Scale: 1}, d.flip, sums[0])
		}
		ADDQ(I32(int8Columns), j)
		JMP(LabelRef(name))
		Label(name + "done")
		VPSLLD(U8(8), sums[1], sums[1])
		VPADDD(sums[0], sums[1], sums[1])
		share := d.vec()
		d.zero(share)
		VPSUBD(sums[1], share, share)
		d.shares = append(d.shares, share)
		LEAQ(Mem{Base: at, Index: d.width, Scale: 4}, at)
	}
}

// block computes the products of rows rows, from row i on.
func (d dot8) block(rows int) {
	Comment(fmt.Sprintf("Rows at a time: %d.", rows))
	label := func(name string) string { return fmt.Sprintf("%s%d", name, rows) }
	addresses := make([]reg.GPVirtual, rows)
	addresses[0] = d.row
	for r := 1; r < rows; r++ {
		addresses[r] = GP64()
		LEAQ(Mem{Base: addresses[r-1], Index: d.width, Scale: 1}, addresses[r])
	}
	halves := 2
	if d.queries > 1 && !d.wide() {
		halves = 1
	}
	sums := make([][][]reg.VecVirtual, rows) // by row, query, half
	for r := range sums {
		for k := range d.queries {
			parts := d.zeros(halves)
			if d.wide() {
				VMOVDQA64(d.shares[k], parts[0])
			}
			sums[r] = append(sums[r], parts)
		}
	}
	query := d.q
	if d.wide() {
		query = GP64()
		LEAQ(Mem{Base: d.q, Index: d.width, Scale: 2}, query)
	}
	j := GP64()
	low := GP64()
	XORQ(j, j)
	CMPQ(j, d.width)
	JE(LabelRef(label("reduce")))
	// Products of words prefetch later rows: they then come from memory up to twice as fast, and from the cache no
	// slower.
	ahead := GP64()
	switch {
	case rows == 1 || d.wide():
	case d.lows:
		LEAQ(Mem{Base: addresses[rows-1], Index: d.width, Scale: 1}, ahead)
	default:
		LEAQ(Mem{Base: d.row, Disp: soon8}, ahead)
	}
	Label(label("columns"))
	if d.lows {
		LEAQ(Mem{Base: j, Index: d.toLow, Scale: 1}, low)
	}
	switch {
	case rows == 1:
	case d.wide():
		for _, row := range addresses {
			if d.lows {
				PREFETCHT1(Mem{Base: row, Index: low, Scale: 1, Disp: ahead8})
				if d.queries < 4 {
					PREFETCHT0(Mem{Base: row, Index: low, Scale: 1, Disp: soon8})
					PREFETCHT0(Mem{Base: row, Index: j, Scale: 1, Disp: soon8})
				}
			}
		}
		TESTQ(d.far, d.far)
		JE(LabelRef(label("near")))
		for _, row := range addresses {
			PREFETCHT1(Mem{Base: row, Index: j, Scale: 1, Disp: ahead8})
		}
		Label(label("near"))
	default:
		for r := range rows {
			PREFETCHT0(Mem{Base: ahead, Disp: 64 * r})
			if d.lows {
				PREFETCHT0(Mem{Base: ahead, Index: d.toLow, Scale: 1, Disp: 64 * r})
			}
		}
		ADDQ(I32(64*rows), ahead)
	}
	if d.wide() {
		d.bytesStep(addresses, query, j, low, sums)
	} else {
		d.wordsStep(addresses, j, low, sums)
	}
	ADDQ(I32(int8Columns), j)
	CMPQ(j, d.width)
	JL(LabelRef(label("columns")))

	Label(label("reduce"))
	together := d.wide() && rows*d.queries == 8
	var all []reg.VecVirtual // by query and row
	var to []reg.GPVirtual
	for k := range d.queries {
		to = append(to, pointer(numbered("dst", k, d.queries)))
		var parts []reg.Register
		for r := range rows {
			s := sums[r][k]
			if d.wide() {
				VPSLLD(U8(8), s[1], s[1])
			}
			if halves == 2 {
				VPADDD(s[1], s[0], s[0])
			}
			if together {
				all = append(all, s[0])
			} else {
				parts = append(parts, d.fold(s[0], VPADDD))
			}
		}
		if !together {
			d.store(parts, d.by(k), to[k])
		}
	}
	if together {
		d.store8(all, to)
	}
	LEAQ(Mem{Base: addresses[rows-1], Index: d.width, Scale: 1}, d.row)
}

// bytesStep multiplies 64 columns as bytes, j of codes and low of their low bytes. The bytes of the
// first query are at query.
func (d dot8) bytesStep(rows []reg.GPVirtual, query, j, low reg.GPVirtual, sums [][][]reg.VecVirtual) {
	unsigned := func(at reg.GPVirtual) []reg.VecVirtual {
		list := d.vecs(len(rows))
		for r, v := range list {
			VPXORD(Mem{Base: rows[r], Index: at, Scale: 1}, d.flip, v)
		}
		return list
	}
	codes := unsigned(j)
	lows := []reg.VecVirtual(nil)
	if d.lows {
		lows = unsigned(low)
	}
	at := GP64()
	LEAQ(Mem{Base: query, Index: j, Scale: 1}, at)
	for k := range d.queries {
		l := d.vec()
		h := d.vec()
		VMOVDQU32(Mem{Base: at}, l)
		VMOVDQU32(Mem{Base: at, Index: d.width, Scale: 1}, h)
		for r, v := range codes {
			vpdpbusd(l, v, sums[r][k][0])
			vpdpbusd(h, v, sums[r][k][1])
		}
		for r, v := range lows {
			vpdpbusd(h, v, sums[r][k][0])
		}
		d.next(at, k)
	}
}

// wordsStep multiplies 64 columns as words, j of codes and low of their low bytes. The words of the
// first query are at q.
func (d dot8) wordsStep(rows []reg.GPVirtual, j, low reg.GPVirtual, sums [][][]reg.VecVirtual) {
	codes := 2 * d.lanes // in a register
	for turn := range int8Columns / codes {
		words := func(at reg.GPVirtual) []reg.VecVirtual {
			list := d.vecs(len(rows))
			for r, v := range list {
				VPMOVSXBW(Mem{Base: rows[r], Index: at, Scale: 1, Disp: turn * codes}, v)
			}
			return list
		}
		multiply := func(by Op, values []reg.VecVirtual, k int) {
			for r, v := range values {
				p := d.vec()
				VPMADDWD(by, v, p)
				sum := sums[r][k][turn%len(sums[r][k])]
				VPADDD(p, sum, sum)
			}
		}
		values := words(j)
		lows := []reg.VecVirtual(nil)
		at := GP64()
		high := GP64()
		LEAQ(Mem{Base: d.q, Index: j, Scale: 2}, at)
		if d.lows {
			lows = words(low)
			LEAQ(Mem{Base: d.width, Index: d.width, Scale: 2}, high)
			ADDQ(d.q, high)
			ADDQ(j, high)
		}
		for k := range d.queries {
			multiply(Mem{Base: at, Disp: turn * codes * 2}, values, k)
			if d.lows {
				h := d.vec()
				VPMOVSXBW(Mem{Base: high, Disp: turn * codes}, h)
				multiply(h, lows, k)
				d.next(high, k)
			}
			d.next(at, k)
		}
	}
}

// next advances at from query k to the next one, if any.
func (d dot8) next(at reg.GPVirtual, k int) {
	if k < d.queries-1 {
		LEAQ(Mem{Base: at, Index: d.width, Scale: 4}, at)
	}
}
