package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// maximum is the room in which a maximum is taken: n numbers each.
type maximum struct {
	sum, term []float32 // sum is 0 between two uses
	touched   []int32   // where sum is above 0, if it was made of lists
}

// start makes room.
func (a *maximum) start(n int) {
	if a.sum == nil {
		a.sum, a.term = make([]float32, n), make([]float32, n)
	}
	a.touched = a.touched[:0]
}

// raise offers a degree of an entity.
func (a *maximum) raise(e int32, deg float32) {
	if old := a.sum[e]; deg > old {
		if old == 0 {
			a.touched = append(a.touched, e)
		}
		a.sum[e] = deg
	}
}

// lists offers degrees[i] times x[i], for each i that is sparse, as far as entities are listed,
// and returns the largest of what the others have. Those that are full, or nowhere 0, are left
// to take.
func (a *maximum) lists(x []*fuzzy, degrees []float32) (rest float32) {
	for i, y := range x {
		rest = max(rest, degrees[i]*y.rest)
		if degrees[i] != 0 && y.rest == 0 {
			for j, e := range y.ids {
				a.raise(e, degrees[i]*y.deg[j])
			}
		}
	}
	return rest
}

// wide reports whether lists leaves a set to take.
func (x *fuzzy) wide() bool { return x.full != nil || x.rest != 0 }

// takeBlock is for how many entities the maximum is taken at a time.
const takeBlock = 1024

// take returns the maximum of what was offered and of the x that are wide; lists returned rest.
func (m *Machine) take(x []*fuzzy, degrees []float32, rest float32) *fuzzy {
	a, wide := &m.maximum, false
	for i, y := range x {
		wide = wide || degrees[i] != 0 && y.wide()
	}
	if !wide && !crowded(len(a.touched), m.n) {
		return m.touched()
	}
	z := m.dense(rest, m.n)
	for lo := 0; lo < m.n; lo += takeBlock {
		hi := min(lo+takeBlock, m.n)
		for i, y := range x {
			if degrees[i] != 0 && y.full != nil {
				simd.Scale(a.term[:hi-lo], y.full[lo:hi], degrees[i])
				simd.MaxOf(a.sum[lo:hi], a.sum[lo:hi], a.term[:hi-lo])
			}
		}
	}
	for i, y := range x {
		if degrees[i] != 0 && y.full == nil && y.rest != 0 {
			y.dense(a.term)
			simd.Scale(a.term, a.term, degrees[i])
			simd.MaxOf(a.sum, a.sum, a.term)
		}
	}
	copy(z.full, a.sum)
	clear(a.sum)
	return z
}

// sortShare is the share of the entities up to which it is less work to sort those that were
// touched than to look at all.
const sortShare = 32

// touched returns the entities of which something was offered.
func (m *Machine) touched() *fuzzy {
	a := &m.maximum
	z := m.list(0, len(a.touched))
	if len(a.touched) > len(a.sum)/sortShare {
		for e, v := range a.sum {
			z.add(int32(e), v)
		}
		clear(a.sum)
		return m.fit(z)
	}
	slices.Sort(a.touched)
	for _, e := range a.touched {
		z.add(e, a.sum[e])
		a.sum[e] = 0
	}
	return m.fit(z)
}
