package fuzzy

import "unsafe"

// Slab allocates slices from large blocks.
type Slab[T any] struct {
	blocks [][]T
	block  int // in use
	used   int // of it
	total  int // elements of all blocks
}

// slabSize is the number of elements of a block, unless a request is larger.
const slabSize = 4096

// Bytes is the memory of all blocks.
func (s *Slab[T]) Bytes() int64 {
	var element T
	return int64(s.total) * int64(unsafe.Sizeof(element))
}

// Take returns n uninitialised elements.
func (s *Slab[T]) Take(n int) []T {
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

// Copy returns a copy of a slice.
func (s *Slab[T]) Copy(x []T) []T {
	y := s.Take(len(x))
	copy(y, x)
	return y
}

// One returns an element that is zero.
func (s *Slab[T]) One() *T {
	p := &s.Take(1)[0]
	var zero T
	*p = zero
	return p
}

// shrink frees the last elements of the most recently taken slice.
func (s *Slab[T]) shrink(x []T, n int) []T {
	s.used -= len(x) - n
	return x[:n:n]
}

// reset frees all elements.
func (s *Slab[T]) reset() {
	s.block = 0
	s.used = 0
}

// Forget frees all elements and clears their pointers.
func (s *Slab[T]) Forget() {
	for i := 0; i < s.block; i++ {
		clear(s.blocks[i])
	}
	if s.block < len(s.blocks) {
		clear(s.blocks[s.block][:s.used])
	}
	s.reset()
}
