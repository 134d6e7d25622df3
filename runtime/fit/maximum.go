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

// lists offers degrees[i] times x[i], for each i, as far as entities are listed, and
// returns the largest of what the others have.
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

// take returns the maximum of what was offered and of the x that are nowhere 0, whose
// rest lists returned.
func (m *Machine) take(x []*fuzzy, degrees []float32, rest float32) *fuzzy {
	a := &m.maximum
	if rest == 0 && len(a.touched) <= len(a.sum)/32 {
		slices.Sort(a.touched)
		z := m.list(0, len(a.touched))
		for _, e := range a.touched {
			z.add(e, a.sum[e])
			a.sum[e] = 0
		}
		return m.fit(z)
	}
	for i, y := range x {
		if degrees[i] != 0 && y.rest != 0 {
			y.dense(a.term)
			simd.Scale(a.term, a.term, degrees[i])
			simd.MaxOf(a.sum, a.sum, a.term)
		}
	}
	z := m.list(rest, m.n)
	for e, v := range a.sum {
		z.add(int32(e), v)
	}
	clear(a.sum)
	return m.fit(z)
}
