package fit

import "unsafe"

// slab hands out slices of large blocks, one after another.
type slab[T any] struct {
	blocks [][]T
	block  int // in use
	used   int // of it
	total  int // elements of all blocks
}

// slabSize is the number of elements of a block, unless more are asked for at once.
const slabSize = 4096

// bytes is the memory of all blocks.
func (s *slab[T]) bytes() int64 {
	var element T
	return int64(s.total) * int64(unsafe.Sizeof(element))
}

// take returns n uninitialised elements.
func (s *slab[T]) take(n int) []T {
	for ; s.block < len(s.blocks); s.block, s.used = s.block+1, 0 {
		if b := s.blocks[s.block]; len(b)-s.used >= n {
			s.used += n
			return b[s.used-n : s.used : s.used]
		}
	}
	size := max(n, slabSize<<min(len(s.blocks), 8))
	s.blocks = append(s.blocks, make([]T, size))
	s.total += size
	s.used = n
	return s.blocks[s.block][:n:n]
}

// copy returns a copy of a slice, such as operands to be kept.
func (s *slab[T]) copy(x []T) []T {
	y := s.take(len(x))
	copy(y, x)
	return y
}

// one returns an element that is zero.
func (s *slab[T]) one() *T {
	p := &s.take(1)[0]
	var zero T
	*p = zero
	return p
}

// shrink gives the last elements of the slice that was taken last back.
func (s *slab[T]) shrink(x []T, n int) []T {
	s.used -= len(x) - n
	return x[:n:n]
}

// reset gives all elements back.
func (s *slab[T]) reset() {
	s.block = 0
	s.used = 0
}

// forget gives all elements back, and drops what they point to.
func (s *slab[T]) forget() {
	for i := 0; i < s.block; i++ {
		clear(s.blocks[i])
	}
	if s.block < len(s.blocks) {
		clear(s.blocks[s.block][:s.used])
	}
	s.reset()
}
