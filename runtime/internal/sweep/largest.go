package sweep

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// Selection picks the largest of many numbers, in buckets of numbers that are equal up to 1%. The bucket of a number
// is the upper half of the difference between the largest number's float32 bits and its own.
//
// It does not visit most numbers one by one. They are laid out in rows, and vectors find the largest of each column.
// If k columns reach some size, so do k numbers, and smaller ones need not be picked: only the columns that reach it
// are searched.
type Selection struct {
	tops    []float32 // of each column
	columns []int32   // the columns searched
	found   []int32   // numbers of about that size
	rows    []int32   // the rows picked
	counts  [leastExponent * 128]int32
}

// leastExponent excludes numbers below 2⁻⁴⁰ of the largest: that is less than the floor of the mixture of semantics,
// 10⁻¹², below which probabilities hardly count.
const leastExponent = 40

// MaxCodeError bounds the error of a score computed from codes. It is less than half of ln 2⁴⁰, so the row of the
// largest score is always read again.
const MaxCodeError = 11

// slackBuckets is the number of buckets below the k-th number's that are also picked: see rereadState.
const slackBuckets = 6

// mostFold bounds the rows in which numbers are laid out.
const mostFold = 32

// bucket returns the bucket of v if top has the bits of the largest number. Numbers below 2⁻⁴⁰ of the
// largest, negative numbers and NaN get a bucket beyond the last.
func bucket(top uint32, v float32) uint64 {
	return uint64(int64(top)-int64(int32(math.Float32bits(v)))) >> 16
}

// Largest returns the rows of the k largest positive numbers of x, and of numbers about as large as the last of them,
// in order, at most most: of numbers equal up to 1%, the first. It excludes numbers below 2⁻⁴⁰ of the largest, and
// does not distinguish numbers below 2⁻¹²⁶. The result is valid until the next call.
func (s *Selection) Largest(x []float32, k, most int) []int32 {
	s.rows = s.rows[:0]
	largest := simd.Max(x)
	if !(largest > 0) {
		return s.rows
	}
	top := math.Float32bits(largest)
	s.search(x, top, k)
	clear(s.counts[:])
	for _, e := range s.found {
		s.counts[bucket(top, x[e])]++
	}
	last, above := s.reach(k)
	for range slackBuckets {
		if last < len(s.counts)-1 && above+int(s.counts[last]) < most {
			above += int(s.counts[last])
			last++
		}
	}
	room := most - above // for rows of the last bucket
	for _, e := range s.found {
		i := bucket(top, x[e])
		if i > uint64(last) {
			continue
		}
		if i == uint64(last) {
			if room == 0 {
				continue
			}
			room--
		}
		s.rows = append(s.rows, e)
	}
	return s.rows
}

// reach returns the bucket of the k-th number counted, and how many are above it.
func (s *Selection) reach(k int) (last, above int) {
	for last < len(s.counts)-1 && above+int(s.counts[last]) < k {
		above += int(s.counts[last])
		last++
	}
	return last, above
}

// search finds, in order, the numbers to consider: at least those about as large as the k-th.
func (s *Selection) search(x []float32, top uint32, k int) {
	fold := max(1, min(mostFold, int(math.Sqrt(float64(len(x)/max(1, k))))))
	width := (len(x) + fold - 1) / fold
	s.tops = reuse.Slice(s.tops, width)
	copy(s.tops, x)
	for lo := width; lo < len(x); lo += width {
		part := x[lo:min(lo+width, len(x))]
		simd.MaxOf(s.tops[:len(part)], s.tops[:len(part)], part)
	}
	clear(s.counts[:])
	for _, v := range s.tops {
		if i := bucket(top, v); i < uint64(len(s.counts)) {
			s.counts[i]++
		}
	}
	last, _ := s.reach(k)
	least := uint64(min(last+slackBuckets, len(s.counts)-1))
	s.columns = s.columns[:0]
	s.found = s.found[:0]
	for j, v := range s.tops {
		if bucket(top, v) <= least {
			s.columns = append(s.columns, int32(j))
		}
	}
	for lo := 0; lo < len(x); lo += width {
		part := x[lo:min(lo+width, len(x))]
		for _, j := range s.columns {
			if int(j) < len(part) && bucket(top, part[j]) <= least {
				s.found = append(s.found, int32(lo)+j)
			}
		}
	}
}
