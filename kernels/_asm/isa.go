package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set for kernels.
type isa struct {
	name  string
	lanes int // float32 numbers in a register
}

var isas = map[string]isa{
	"avx2":   {name: "avx2", lanes: 8},
	"avx512": {name: "avx512", lanes: 16},
	"amx":    {name: "amx", lanes: 16}, // with AVX-512
}

// wide distinguishes AVX-512, which has masks and 32 registers, from AVX2.
func (s isa) wide() bool { return s.lanes == 16 }

// prefetchAll returns the variable that says whether kernels over rows prefetch all of the next rows.
func prefetchAll() Mem { return Mem{Symbol: Symbol{Name: "·PrefetchAll"}, Base: reg.StaticBase} }

// vec returns a new register, full width.
func (s isa) vec() reg.VecVirtual {
	if s.wide() {
		return ZMM()
	}
	return YMM()
}

// vecs returns n new registers.
func (s isa) vecs(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = s.vec()
	}
	return list
}

// zero clears a register.
func (s isa) zero(v reg.VecVirtual) { VXORPS(v, v, v) }

// zeros returns n new registers, all zero.
func (s isa) zeros(n int) []reg.VecVirtual {
	list := s.vecs(n)
	for _, v := range list {
		s.zero(v)
	}
	return list
}

// param returns a parameter in every lane.
func (s isa) param(name string) reg.VecVirtual {
	v := s.vec()
	VBROADCASTSS(address(Param(name)), v)
	return v
}

// pointer loads the address of a slice, length its length, and argument a parameter of another type.
func pointer(slice string) reg.GPVirtual { return Load(Param(slice).Base(), GP64()).(reg.GPVirtual) }

func length(slice string) reg.GPVirtual { return Load(Param(slice).Len(), GP64()).(reg.GPVirtual) }

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// give returns lane 0 of x. Non-VEX moves, as avo's Store uses for numbers, stall while upper halves of
// registers are in use.
func give(x reg.Register) {
	VMOVSS(x, address(ReturnIndex(0)))
	leave()
}

// address returns the address of a parameter or result.
func address(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// broadcast returns a constant in every lane.
func (s isa) broadcast(bits uint32) reg.VecVirtual {
	g := GP32()
	x := XMM()
	v := s.vec()
	MOVL(U32(bits), g)
	VMOVD(g, x)
	VBROADCASTSS(x, v)
	return v
}

// upper sets x to the upper half of y.
func (s isa) upper(y, x reg.Register) {
	if s.wide() {
		VEXTRACTF32X4(U8(1), y, x)
	} else {
		VEXTRACTF128(U8(1), y, x)
	}
}

// merge combines registers by add, pair by pair, until one remains.
func merge(v []reg.VecVirtual, add func(ops ...Op)) reg.VecVirtual {
	for n := len(v) / 2; n > 0; n /= 2 {
		for i := range n {
			add(v[i+n], v[i], v[i])
		}
	}
	return v[0]
}

// half returns the lower half of a register.
func (s isa) half(v reg.VecVirtual) reg.Register {
	if s.wide() {
		return v.AsY()
	}
	return v.AsX()
}

// fold adds the parts of v until 16 bytes remain.
func (s isa) fold(v reg.VecVirtual, add func(ops ...Op)) reg.VecVirtual {
	if s.wide() {
		y := YMM()
		VEXTRACTF64X4(U8(1), v, y)
		add(v.AsY(), y, y)
		v = y
	}
	x := XMM()
	s.upper(v.AsY(), x)
	add(v.AsX(), x, x)
	return x
}

// pairwise returns the sums of neighbors in x, then those in y, by VADDPS or VPADDD. AVX-512 has no instruction for it.
// It overwrites x.
func pairwise(add func(ops ...Op)) func(x, y reg.Register) reg.Register {
	return func(x, y reg.Register) reg.Register {
		odd := XMM()
		VSHUFPS(U8(0b11011101), y, x, odd)
		VSHUFPS(U8(0b10001000), y, x, x)
		add(odd, x, x)
		return x
	}
}

// sum adds the lanes of v and returns a register that holds the sum in lane 0.
func (s isa) sum(v reg.VecVirtual) reg.Register {
	var x reg.Register = s.fold(v, VADDPS)
	x = pairwise(VADDPS)(x, x)
	return pairwise(VADDPS)(x, x)
}

// A tail selects the last numbers of a row, fewer than two registers.
type tail struct {
	isa
	masks [2]reg.Register // AVX-512: of the two registers
	table reg.GPVirtual   // AVX2: address of the masks
}

// tail makes the masks for n numbers. It overwrites n.
func (s isa) tail(n reg.GPVirtual) tail {
	t := tail{isa: s}
	if s.wide() {
		ones := GP64()
		MOVQ(I32(-1), ones)
		BZHIQ(n, ones, ones)
		for i := range t.masks {
			k := K()
			KMOVW(ones.As32(), k)
			t.masks[i] = k
			if i == 0 {
				SHRQ(U8(16), ones)
			}
		}
		return t
	}
	t.table = s.masksFor(n)
	return t
}

// masksFor returns the address of AVX2 masks whose first n lanes are set, n at most 16. It
// overwrites n.
func (s isa) masksFor(n reg.GPVirtual) reg.GPVirtual {
	end := GP64()
	LEAQ(tailMasks().Offset(4*2*s.lanes), end)
	NEGQ(n)
	LEAQ(Mem{Base: end, Index: n, Scale: 4}, end)
	return end
}

// load loads register i of the tail; lanes beyond the end are zero.
func (t tail) load(m Mem, i int, v reg.VecVirtual) {
	if t.wide() {
		VMOVUPS_Z(m, t.masks[i], v)
	} else {
		VMASKMOVPS(m, t.mask(i), v)
	}
}

// store writes register i of the tail.
func (t tail) store(v reg.VecVirtual, i int, m Mem) {
	if t.wide() {
		VMOVUPS(v, t.masks[i], m)
	} else {
		VMASKMOVPS(v, t.mask(i), m)
	}
}

// mask returns the AVX2 mask of register i.
func (t tail) mask(i int) reg.VecVirtual {
	mask := YMM()
	VMOVUPS(Mem{Base: t.table, Disp: i * 4 * t.lanes}, mask)
	return mask
}

// tailMasks returns the mask table of AVX2: 16 lanes set, then 16 clear.
func tailMasks() Mem {
	return table("tailMasks", func() {
		for i := range 32 {
			v := U32(0)
			if i < 16 {
				v = ^v
			}
			DATA(4*i, v)
		}
	})
}

// tables holds the read-only tables of the file.
var tables = map[string]Mem{}

// table returns a read-only table, whose data fill writes when the file first asks for it.
func table(name string, fill func()) Mem {
	m, ok := tables[name]
	if !ok {
		m = GLOBL(name, rodata)
		tables[name] = m
		fill()
	}
	return m
}
