//go:build amd64 && !noasm

package product

import (
	"math"

	"golang.org/x/sys/cpu"

	kernel "github.com/efoc/efoc/kernels/internal/amx"
	"github.com/efoc/efoc/kernels/reuse"
)

// HasIntegers reports whether this machine multiplies Integers: unit amx with AMX-INT8.
func HasIntegers() bool { return inUse() == amx && cpu.X86.HasAMXInt8 }

// AddNumbers adds a query of numbers, at most as many as there are columns: the integers are what
// is nearest to them, up to 2⁻⁸, when the largest becomes 32512; it returns what 1 stands for. Mul
// writes the products to dst. It reports false, and adds nothing, if a number is not finite, or all
// are below 2⁻¹⁰⁰ and not all 0. It needs HasIntegers.
func (p *Integers) AddNumbers(query, dst []float32) (unit float32, ok bool) {
	clear(p.numbers[copy(p.numbers, query):])
	largest := kernel.WeighInt8(&p.bytes[0], &p.numbers[0], &p.ones[0], p.steps)
	switch {
	case largest == 0:
		clear(p.bytes)
	case !(largest >= 0x1p-100 && largest <= math.MaxFloat32):
		return 0, false
	}
	group := p.count / groupQueries
	at := p.count % groupQueries
	for step := range p.steps {
		tiles := p.packed[(group*p.steps+step)*queryTiles*tileWords:][:queryTiles*tileWords]
		for part := range queryTiles {
			bytes := p.bytes[(step*queryTiles+part)*tileBytes:][:groupColumns]
			for k := range tileLines {
				tiles[part*tileWords+k*tileLines+at] = uint32(uint8(bytes[4*k])) | uint32(uint8(bytes[4*k+1]))<<8 |
					uint32(uint8(bytes[4*k+2]))<<16 | uint32(uint8(bytes[4*k+3]))<<24
			}
		}
	}
	unit = largest / 32512
	p.scales[p.count] = unit
	p.dst = append(p.dst, dst)
	p.count++
	return unit, true
}

// Mul computes dst_j[at+i] = scales[i]·⟨row i, query j⟩, where row i stands for
// high[i*columns+l] + low[i*columns+l]/256 and query j for the integers that were added, times
// their scale. It needs HasIntegers.
func (p *Integers) Mul(room *IntegerRoom, at int, high, low []int8, scales []float32) {
	columns := p.steps * groupColumns
	check(min(len(high), len(low)), len(scales), columns, columns)
	groups := (p.count + groupQueries - 1) / groupQueries
	if groups == 0 {
		return
	}
	room.sums = reuse.Slice(room.sums, groups*groupRows/tileLines*sumTiles*tileWords)
	room.products, room.lines = reuse.Slice(room.products, groups*groupQueries*copied), reuse.Slice(room.lines, groups*groupQueries)
	for j := range room.lines {
		room.lines[j] = &room.products[j*copied]
	}
	for first := 0; first < len(scales); first += copied {
		last := min(first+copied, len(scales))
		for i := first; i < last; i += groupRows {
			a := high[i*columns:]
			b := low[i*columns:]
			by := scales[i:]
			if last-i < groupRows {
				a, b, by = room.edge(a, b, by, columns)
			}
			kernel.Int8(&room.sums[0], &a[0], &b[0], columns, &p.packed[0], p.steps, groups)
			sums := room.sums
			for j := 0; j < p.count; j += groupQueries {
				for lines := 0; lines < groupRows; lines += tileLines {
					kernel.JoinInt8(&room.lines[j], 4*(i-first+lines), &sums[0], &by[lines], &p.scales[j])
					sums = sums[sumTiles*tileWords:]
				}
			}
		}
		for j, dst := range p.dst {
			copy(dst[at+first:at+last], room.products[j*copied:])
		}
	}
}

// edge returns copies of fewer rows than a group has, with zeros behind them.
func (room *IntegerRoom) edge(high, low []int8, scales []float32, columns int) ([]int8, []int8, []float32) {
	n := len(scales) * columns
	room.high, room.low = reuse.Slice(room.high, groupRows*columns), reuse.Slice(room.low, groupRows*columns)
	clear(room.high[copy(room.high, high[:n]):])
	clear(room.low[copy(room.low, low[:n]):])
	clear(room.scales[copy(room.scales[:], scales):])
	return room.high, room.low, room.scales[:]
}
