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
// If k columns reach some size, so do k numbers, and smaller ones need not be picked.
type Selection struct {
	tops   []float32 // of each column
	found  []int32   // numbers of about that size
	rows   []int32   // the rows picked
	block  [selectBlock]int32
	counts [leastExponent * 128]int32
}

// selectBlock is the number of numbers that are compared at a time; leastColumns and perPicked bound the number of
// columns from below: more take longer to count, fewer say less about the size of the k-th number.
const (
	selectBlock  = 1024
	leastColumns = 512
	perPicked    = 4
)

// leastExponent excludes numbers below 2⁻⁴⁰ of the largest: that is less than the floor of the mixture of semantics,
// 10⁻¹², below which probabilities hardly count.
const leastExponent = 40

// MaxCodeError bounds the error of a score computed from codes. It is less than half of ln 2⁴⁰, so the row of the
// largest score is always read again.
const MaxCodeError = 11

// slackBuckets is the number of buckets below the k-th number's that are also picked: see rereadState.
const slackBuckets = 6

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
	s.fold(x, min(len(x), max(leastColumns, perPicked*k)))
	largest := simd.Max(s.tops)
	if !(largest > 0) {
		return s.rows
	}
	top := math.Float32bits(largest)
	least := s.least(top, k)
	clear(s.counts[:])
	s.found = s.found[:0]
	for lo := 0; lo < len(x); lo += selectBlock {
		part := x[lo:min(lo+selectBlock, len(x))]
		for _, i := range s.block[:simd.IndexAbove(s.block[:len(part)], part, least)] {
			s.counts[bucket(top, part[i])]++
			s.found = append(s.found, int32(lo)+i)
		}
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

// fold finds the largest number of each column.
func (s *Selection) fold(x []float32, columns int) {
	s.tops = reuse.Slice(s.tops, columns)
	copy(s.tops, x)
	for lo := columns; lo < len(x); lo += columns {
		part := x[lo:min(lo+columns, len(x))]
		simd.MaxOf(s.tops[:len(part)], s.tops[:len(part)], part)
	}
}

// least returns a number that the k largest and those about as large as the last of them reach.
func (s *Selection) least(top uint32, k int) float32 {
	clear(s.counts[:])
	for _, v := range s.tops {
		if i := bucket(top, v); i < uint64(len(s.counts)) {
			s.counts[i]++
		}
	}
	last, _ := s.reach(k)
	last = min(last+slackBuckets, len(s.counts)-1)
	return math.Float32frombits(uint32(max(1, int64(top)-int64(last+1)<<16+1)))
}
