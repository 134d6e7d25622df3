package simd

import (
	"math"
	"testing"
	"unsafe"

	"github.com/efoc/efoc/kernels/internal/ref"
	"github.com/efoc/efoc/testdata/long"
)

// codeRegimes say which codes a test uses.
const (
	allCodes = iota
	extremeCodes
	zeroCodes
	equalCodes
	codeRegimes
)

var (
	widths8 = []int{0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 832, 2048}
	counts8 = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 63, 64, 65, 66, 67, 130}
)

// shapes8 iterates over numbers of rows and widths: by default over a third of them, with every third width for
// each number of rows.
func shapes8(test func(n, w, codes int, r regime)) {
	for i, w := range widths8 {
		for j, n := range counts8 {
			if long.Tests() || (i+j)%3 == 0 {
				test(n, w, allCodes, ordinary)
			}
		}
		for codes := range codeRegimes {
			for r := range regimes {
				if long.Tests() || (i+codes+int(r))%3 == 0 {
					test(5, w, codes, r)
					test(66, w, codes, r)
				}
			}
		}
	}
}

// bytes8 returns n codes that end at a fence, or some bytes before it.
func (m *memory) bytes8(n, ahead, codes int) []int8 {
	b := m.bytes(n + ahead)
	s := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), n)
	equal := int8(1 - 2*m.rng.IntN(2))
	for i := range s {
		switch codes {
		case allCodes:
			s[i] = int8(m.rng.IntN(256) - 128)
		case extremeCodes:
			s[i] = int8(127 * (1 - 2*m.rng.IntN(2)))
		case zeroCodes:
			s[i] = 0
		case equalCodes:
			s[i] = 127 * equal
		}
	}
	return s
}

// query8 returns queries of w integers, packed. Products of them with codes of up to 128, and of
// their high bytes with low bytes, fit in 32 bits.
func (m *memory) query8(queries, w, codes, ahead int) []int16 {
	limit := 32512
	if w > 0 {
		limit = min(limit, math.MaxInt32/(129*w))
	}
	b := m.bytes(4*w*queries + 2*ahead)
	q := unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(b))), 2*w*queries)
	for k := range queries {
		one := q[2*w*k : 2*w*(k+1)]
		for j := range w {
			one[j] = int16(m.rng.IntN(2*limit+1) - limit)
			if codes != allCodes {
				one[j] = int16(limit * (1 - 2*m.rng.IntN(2)))
			}
			if codes == equalCodes {
				one[j] = int16(limit)
			}
		}
		ref.PackQuery(one)
	}
	return q
}

// sweepDot8 compares products with sums of integers, bit by bit: of codes, and of codes with low bytes.
func sweepDot8(t *testing.T) {
	m := newMemory(t)
	shapes8(func(n, w, codes int, r regime) {
		rows, lows, scales := m.bytes8(n*w, (n+w)%4, codes), m.bytes8(n*w, n%4, codes), m.numbers(n, n%4, r)
		q, by := m.query8(4, w, codes, w/64%4), m.numbers(4, n%3, r)
		results := func() (dst [4][]float32) {
			for i := range dst {
				dst[i] = m.result(n, i, notANumber)
			}
			return dst
		}
		check := func(kind string, lows []int8, ones, pairs, fours [4][]float32) {
			for i := range fours {
				query := q[2*w*i : 2*w*(i+1)]
				for row := range n {
					sum := int64(0)
					for j, c := range rows[row*w : (row+1)*w] {
						if sum += int64(c) * int64(query[j]); lows != nil {
							sum += int64(lows[row*w+j]) * int64(math.Floor((float64(query[j])+128)/256))
						}
					}
					want := float32(float64(sum) * (float64(scales[row]) * float64(by[i])))
					if !sameNumber(ones[i][row], want) || !sameNumber(pairs[i][row], want) || !sameNumber(fours[i][row], want) {
						t.Fatalf("%s, %d rows of %d, %s scales: row %d with query %d is %v alone, %v with another and %v with three, want %v",
							kind, n, w, r, row, i, ones[i][row], pairs[i][row], fours[i][row], want)
					}
				}
			}
		}
		ones, pairs, fours, even := results(), results(), results(), n%2 == 0
		for i, dst := range ones {
			DotRowsI8(dst, rows, scales, q[2*w*i:2*w*(i+1)], by[i], even)
		}
		DotRows2I8(pairs[0], pairs[1], rows, scales, q[:4*w], by[:2], even)
		DotRows2I8(pairs[2], pairs[3], rows, scales, q[4*w:], by[2:], !even)
		DotRows4I8(fours[0], fours[1], fours[2], fours[3], rows, scales, q, by, even)
		check("8 bits", nil, ones, pairs, fours)
		ones, pairs, fours = results(), results(), results()
		for i, dst := range ones {
			DotRowsI16(dst, rows, lows, scales, q[2*w*i:2*w*(i+1)], by[i], even)
		}
		DotRows2I16(pairs[0], pairs[1], rows, lows, scales, q[:4*w], by[:2], even)
		DotRows2I16(pairs[2], pairs[3], rows, lows, scales, q[4*w:], by[2:], !even)
		DotRows4I16(fours[0], fours[1], fours[2], fours[3], rows, lows, scales, q, by, even)
		check("16 bits", lows, ones, pairs, fours)
		m.next("%d rows of %d", n, w)
	})
}

// sweepAxpy8 compares weighted sums with plain ones within the tolerance and the rounding of weights, and
// blocks of rows bit by bit.
func sweepAxpy8(t *testing.T) {
	m := newMemory(t)
	shapes8(func(n, w, codes int, r regime) {
		rows, scales := m.bytes8(n*w, (n+w)%4, codes), m.numbers(n, n%4, r)
		weights, old := m.numbers(n, n%3, r), m.numbers(w, 0, r)
		from := func() []float32 {
			acc := m.result(w, w%3, 0)
			copy(acc, old)
			return acc
		}
		index := make([]int32, n)
		for i := range index {
			index[i] = int32(i * 7 % n)
		}
		at := from()
		AxpyAtI8(at, rows, scales, index, weights)
		for j, got := range at {
			var want sum
			want.add(float64(old[j]))
			for i, a := range weights {
				row := int(index[i])
				want.add(float64(a*scales[row]) * float64(rows[row*w+j]))
			}
			if !want.holds(got) {
				t.Fatalf("%d rows of %d %s numbers: column %d by an index is %v, want %v", n, w, r, j, got, want.value)
			}
		}
		sums, blocks := from(), from()
		SumRowsI8(sums, rows, scales, weights)
		for lo := 0; lo < n; lo += 64 {
			hi := min(lo+64, n)
			SumRowsI8(blocks, rows[lo*w:hi*w], scales[lo:hi], weights[lo:hi])
		}
		if !sameNumbers(blocks, sums) {
			t.Fatalf("%d rows of %d %s numbers: blocks of 64 differ from one sum", n, w, r)
		}
		others, alone := m.numbers(n, n%2, (r+regime(n%3))%regimes), from()
		SumRowsI8(alone, rows, scales, others)
		first, second := from(), from()
		SumRows2I8(first, second, rows, scales, weights, others)
		if !sameNumbers(first, sums) || !sameNumbers(second, alone) {
			t.Fatalf("%d rows of %d %s numbers: two sums differ from each alone", n, w, r)
		}
		for j, got := range sums {
			var want sum
			want.add(float64(old[j]))
			rounding := 0.0
			for lo := 0; lo < n; lo += 64 {
				largest, codes := 0.0, 0.0
				for i := lo; i < min(lo+64, n); i++ {
					a, c := float64(weights[i]*scales[i]), float64(rows[i*w+j])
					want.add(a * c)
					largest, codes = max(largest, math.Abs(a)), codes+math.Abs(c)
				}
				rounding += largest / 65024 * codes
			}
			if !want.holds(got) && !(math.Abs(float64(got)-want.value) <= tolerance*want.size+rounding) {
				t.Fatalf("%d rows of %d %s numbers: column %d with rounded weights is %v, want %v within %v", n, w, r, j, got, want.value, rounding)
			}
		}
		m.next("%d rows of %d", n, w)
	})
}

// sweepWiden8 compares converted rows with products, bit by bit.
func sweepWiden8(t *testing.T) {
	m := newMemory(t)
	for _, w := range widths8 {
		for r := range regimes {
			row, by := m.bytes8(w, w/64%4, allCodes), m.number(r)
			dst := m.result(w, int(r), notANumber)
			WidenI8(dst, row, by)
			for j, got := range dst {
				if want := by * float32(row[j]); !sameNumber(got, want) {
					t.Fatalf("column %d of %d: %v·%d is %v, want %v", j, w, by, row[j], got, want)
				}
			}
			m.next("row of %d", w)
		}
	}
}

// sweepWidenI16 compares converted rows of 16-bit integers with products, bit by bit.
func sweepWidenI16(t *testing.T) {
	m := newMemory(t)
	for _, w := range widths8 {
		for r := range regimes {
			row, low, by := m.bytes8(w, w/64%4, allCodes), m.bytes8(w, w/64%3, allCodes), m.number(r)
			for j := range row {
				row[j] = max(row[j], -127) // as codes are
			}
			dst := m.result(w, int(r), notANumber)
			WidenI16(dst, row, low, by)
			for j, got := range dst {
				if want := by * float32(256*int(row[j])+int(low[j])); !sameNumber(got, want) {
					t.Fatalf("column %d of %d: %v·(256·%d + %d) is %v, want %v", j, w, by, row[j], low[j], got, want)
				}
			}
			m.next("row of %d", w)
		}
	}
}
