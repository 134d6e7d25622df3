package product

import (
	"math"

	"github.com/efoc/efoc/kernels/half"
	"github.com/efoc/efoc/kernels/reuse"
)

// Emulation of unit amx in plain loops: tests enable it with EFOC_EMULATEAMX=1 to examine the effect of AMX on
// results on any machine. It is deliberately naive.

// split is an operand with its numbers split into terms: term k of number l of line i is
// data[(k*lines+i)*depth+l].
type split struct {
	terms, lines, depth int
	data                []uint16
}

// bytes returns the memory of the terms.
func (s *split) bytes() int64 { return 2 * int64(cap(s.data)) }

// pack splits the rows of m.
func (s *split) pack(m *Matrix, most Terms) {
	s.terms = m.terms(most)
	s.lines = m.rows
	s.depth = m.cols
	s.data = reuse.Slice(s.data, s.terms*s.lines*s.depth)
	for i := range s.lines {
		for l := range s.depth {
			at := i*m.stride + l
			if m.transposed {
				at = l*m.stride + i
			}
			left := m.numbers[at]
			for k := range s.terms {
				term := half.ToBFloat16(left)
				s.line(k, i)[l] = term
				left -= half.BFloat16(term)
			}
		}
	}
}

// line returns term `term` of the numbers of line i.
func (s *split) line(term, i int) []uint16 {
	return s.data[(term*s.lines+i)*s.depth:][:s.depth]
}

// weighIntegers rounds the products of weights and scales to integers, scaled so that the largest becomes ±32512, and
// pads dst with zeros. It returns the absolute value of the largest product; if that is 0 or not finite, dst is all zeros.
func weighIntegers(dst []int16, weights, scales []float32) (largest float32) {
	clear(dst)
	for i, w := range weights {
		largest = max(largest, float32(math.Abs(float64(w*scales[i]))))
	}
	if !(largest > 0 && largest <= math.MaxFloat32) {
		return largest
	}
	for i, w := range weights {
		dst[i] = int16(math.RoundToEven(float64(w*scales[i]) / float64(largest) * 32512))
	}
	return largest
}

// multiplyBytes returns 256 times the product of x and high + low/256, without the product of the two low bytes.
func multiplyBytes(x int16, high, low int8) int64 {
	top := (int64(x) + 128) >> 8
	return 256*top*int64(high) + top*int64(low) + (int64(x)-256*top)*int64(high)
}

// emulatedTotals are the rows and weights of a block.
type emulatedTotals struct {
	high, low []int8
	weights   [][]int16
}

func (t *emulatedTotals) rows(queries int, high, low []int8, rows int) {
	t.high = high
	t.low = low
	t.weights = make([][]int16, queries)
	for j := range t.weights {
		t.weights[j] = make([]int16, rows)
	}
}

// addTo implements Totals.AddTo.
func (t *emulatedTotals) addTo(acc []float32, stride, columns int, units []float32) {
	for j, weights := range t.weights {
		for l := range columns {
			sum := int64(0)
			for i, w := range weights {
				sum += multiplyBytes(w, t.high[i*columns+l], t.low[i*columns+l])
			}
			acc[j*stride+l] += units[j] * float32(sum)
		}
	}
}
