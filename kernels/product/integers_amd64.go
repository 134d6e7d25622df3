//go:build amd64 && !noasm

package product

import (
	"golang.org/x/sys/cpu"

	kernel "github.com/efoc/efoc/kernels/bf16"
)

// HasIntegers reports whether this machine multiplies Integers: unit amx with AMX-INT8.
func HasIntegers() bool { return inUse() == amx && cpu.X86.HasAMXInt8 }

// Mul computes dst_j[at+i] = scales[i]·scale_j·⟨row i, query j⟩, where row i stands for
// high[i*columns+l] + low[i*columns+l]/256 and query j for the integers that were added. It
// needs HasIntegers.
func (p *Integers) Mul(room *IntegerRoom, at int, high, low []int8, scales []float32) {
	columns := p.steps * groupColumns
	check(min(len(high), len(low)), len(scales), columns, columns)
	groups := (p.count + groupQueries - 1) / groupQueries
	if groups == 0 {
		return
	}
	for _, dst := range p.dst {
		_ = dst[:at+len(scales)]
	}
	room.sums = resize(room.sums, groups*groupRows/tileLines*sumTiles*tileWords)
	for i := 0; i < len(scales); i += groupRows {
		n := min(groupRows, len(scales)-i)
		a, b, by := high[i*columns:], low[i*columns:], scales[i:]
		if n < groupRows {
			a, b, by = room.edge(a, b, by, columns)
		}
		kernel.AMXInt8(&room.sums[0], &a[0], &b[0], columns, &p.packed[0], p.steps, groups)
		sums := room.sums
		for j := 0; j < p.count; j += groupQueries {
			queries := min(groupQueries, p.count-j)
			whole := n == groupRows && queries == groupQueries
			dst, to := &room.lines[0], 0
			if whole {
				dst, to = &p.first[j], 4*(at+i)
			} else {
				for k := range room.lines {
					room.lines[k] = &room.tile[k*groupRows]
				}
			}
			for lines := 0; lines < groupRows; lines += tileLines {
				kernel.JoinInt8(dst, to+4*lines, &sums[0], &by[lines], &p.scales[j])
				sums = sums[sumTiles*tileWords:]
			}
			if !whole {
				for k, dst := range p.dst[j : j+queries] {
					copy(dst[at+i:], room.tile[k*groupRows:][:n])
				}
			}
		}
	}
}

// edge returns copies of fewer rows than a group has, with zeros behind them.
func (room *IntegerRoom) edge(high, low []int8, scales []float32, columns int) ([]int8, []int8, []float32) {
	n := len(scales) * columns
	room.high, room.low = resize(room.high, groupRows*columns), resize(room.low, groupRows*columns)
	clear(room.high[copy(room.high, high[:n]):])
	clear(room.low[copy(room.low, low[:n]):])
	clear(room.scales[copy(room.scales[:], scales):])
	return room.high, room.low, room.scales[:]
}
