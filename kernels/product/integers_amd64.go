//go:build amd64 && !noasm

package product

import (
	kernel "github.com/efoc/efoc/kernels/internal/amx"
	"github.com/efoc/efoc/kernels/reuse"
)

// add packs a query as integers and returns the largest absolute value.
func (p *Integers) add(query []float32) float32 {
	clear(p.numbers[copy(p.numbers, query):])
	largest := kernel.WeighInt8(&p.bytes[0], &p.numbers[0], &p.ones[0], p.steps)
	if largest == 0 {
		clear(p.bytes)
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
	return largest
}

// multiply implements Mul for whole groups of queries.
func (p *Integers) multiply(room *IntegerRoom, at int, high, low []int8, scales []float32) {
	columns := p.steps * groupColumns
	groups := (p.count + groupQueries - 1) / groupQueries
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

// edge returns copies of fewer rows than a group has, padded with zeros.
func (room *IntegerRoom) edge(high, low []int8, scales []float32, columns int) ([]int8, []int8, []float32) {
	n := len(scales) * columns
	room.high, room.low = reuse.Slice(room.high, groupRows*columns), reuse.Slice(room.low, groupRows*columns)
	clear(room.high[copy(room.high, high[:n]):])
	clear(room.low[copy(room.low, low[:n]):])
	clear(room.scales[copy(room.scales[:], scales):])
	return room.high, room.low, room.scales[:]
}
