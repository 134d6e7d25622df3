package simd

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// guard is the word around results. It is a NaN with an unusual payload.
const guard = 0x7fc5a5a5

const guards = 16

// A memory allocates slices for one test: operands that end at an unreadable page, if the system permits, and
// results between guard words.
type memory struct {
	t      testing.TB
	rng    *rand.Rand
	fences map[int][]byte // by slot: readable bytes before the fence
	slot   int
	watch  [][]float32
	drawn  [regimes][]float32 // see numbers
}

func newMemory(t testing.TB) *memory {
	m := &memory{t: t, rng: rand.New(rand.NewPCG(1, 2)), fences: map[int][]byte{}}
	t.Cleanup(func() {
		for _, f := range m.fences {
			releaseFenced(f)
		}
	})
	return m
}

// next checks the guard words and ends the life of all slices allocated before.
func (m *memory) next(format string, args ...any) {
	m.t.Helper()
	for _, w := range m.watch {
		for i := range guards {
			if math.Float32bits(w[i]) != guard || math.Float32bits(w[len(w)-1-i]) != guard {
				m.t.Fatalf("guard word overwritten: "+format, args...)
			}
		}
	}
	m.watch = m.watch[:0]
	m.slot = 0
}

// bytes returns n readable bytes that end at a fence.
func (m *memory) bytes(n int) []byte {
	f := m.fences[m.slot]
	if len(f) < n {
		if f != nil {
			releaseFenced(f)
		}
		f = fenced(n)
		m.fences[m.slot] = f
	}
	m.slot++
	return f[len(f)-n:]
}

// empty returns an operand of n undefined numbers that ends at a fence, or some numbers before it.
func (m *memory) empty(n, ahead int) []float32 {
	b := m.bytes(4 * (n + ahead))
	s := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), n+ahead)
	for i := n; i < n+ahead; i++ {
		s[i] = math.Float32frombits(guard)
	}
	return s[:n:n]
}

// normal returns an operand of n normally distributed numbers.
func (m *memory) normal(n, ahead int) []float32 { return m.numbers(n, ahead, ordinary) }

// result returns n numbers between guard words, filled with old.
func (m *memory) result(n, offset int, old float32) []float32 {
	all := make([]float32, offset+n+2*guards)[offset:]
	for i := range all {
		all[i] = old
		if i < guards || i >= guards+n {
			all[i] = math.Float32frombits(guard)
		}
	}
	m.watch = append(m.watch, all)
	return all[guards : guards+n : guards+n]
}
