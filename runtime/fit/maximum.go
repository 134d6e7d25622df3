package fit

import (
	"cmp"
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
		a.sum = make([]float32, n)
		a.term = make([]float32, n)
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

// offer offers the conjunction of degrees[i] and x[i], for each i that is sparse, as far as entities are listed,
// and returns the largest of what the others have. Those that are full, or nowhere 0, are left
// to take.
func (m *Machine) offer(x []*fuzzy, degrees []float32) (rest float32) {
	for i, y := range x {
		rest = max(rest, m.norm.Both(degrees[i], y.rest))
		if degrees[i] != 0 && !y.wide() {
			m.raise(y, degrees[i])
		}
	}
	return rest
}

// raise offers the conjunction of a degree and of each that a set lists.
func (m *Machine) raise(x *fuzzy, degree float32) {
	a := &m.maximum
	term := a.term[:len(x.ids)]
	m.norm.Scale(term, x.deg, degree)
	for j, e := range x.ids {
		a.raise(e, term[j])
	}
}

// wide reports whether offer leaves a set to take.
func (x *fuzzy) wide() bool { return x.full != nil || x.rest != 0 }

// takeBlock is for how many entities the maximum is taken at a time.
const takeBlock = 1024

// foldMax returns the maximum of what was offered and of the x that are wide; offer returned rest.
func (m *Machine) foldMax(x []*fuzzy, degrees []float32, rest float32) *fuzzy {
	a := &m.maximum
	full := false
	spread := none
	for i, y := range x {
		full = full || degrees[i] != 0 && y.full != nil
	}
	if order := m.spreading(x, degrees); len(order) > 0 {
		spread = m.spread(x, degrees, order)
		if !full {
			return spread
		}
	} else if !full && !crowded(len(a.touched), m.n) {
		return m.touched(0)
	}
	z := m.dense(rest, m.n)
	for lo := 0; lo < m.n; lo += takeBlock {
		hi := min(lo+takeBlock, m.n)
		for i, y := range x {
			if degrees[i] != 0 && y.full != nil {
				m.norm.Scale(a.term[:hi-lo], y.full[lo:hi], degrees[i])
				simd.MaxOf(a.sum[lo:hi], a.sum[lo:hi], a.term[:hi-lo])
			}
		}
	}
	if spread != none {
		spread.dense(a.term)
		simd.MaxOf(a.sum, a.sum, a.term)
	}
	copy(z.full, a.sum)
	clear(a.sum)
	return z
}

// spreading lists the x that are sparse, but nowhere 0, such as rows of negated atoms.
func (m *Machine) spreading(x []*fuzzy, degrees []float32) []int32 {
	list := m.ints.take(len(x))[:0]
	for i, y := range x {
		if degrees[i] != 0 && y.full == nil && y.rest != 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// spread returns the maximum of what was offered and of the x in order, which spreading listed. One
// of them is the best where it lists nothing; elsewhere the others may be better, in order of what
// they have where they list nothing.
func (m *Machine) spread(x []*fuzzy, degrees []float32, order []int32) *fuzzy {
	a := &m.maximum
	elsewhere := func(i int32) float32 { return m.norm.Both(degrees[i], x[i].rest) }
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(elsewhere(j), elsewhere(i)) })
	for _, i := range order {
		for j, e := range x[i].ids {
			if x[i].deg[j] > x[i].rest {
				a.raise(e, m.norm.Both(degrees[i], x[i].deg[j]))
			}
		}
	}
	ids := m.ints.take(len(a.touched) + len(x[order[0]].ids))[:0]
	ids = append(append(ids, a.touched...), x[order[0]].ids...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	z := m.list(elsewhere(order[0]), len(ids))
	for _, e := range ids {
		best := a.sum[e]
		for _, i := range order {
			if elsewhere(i) <= best {
				break
			}
			best = max(best, m.norm.Both(degrees[i], x[i].at(e)))
		}
		z.add(e, best)
		a.sum[e] = 0
	}
	z = m.trim(z)
	if crowded(len(z.ids), m.n) {
		full := m.dense(z.rest, m.n)
		z.dense(full.full)
		return full
	}
	return z
}

// sortShare is the share of the entities up to which it is less work to sort those that were
// touched than to look at all.
const sortShare = 32

// touched returns the degrees offered, and rest, which is less, for the other entities.
func (m *Machine) touched(rest float32) *fuzzy {
	a := &m.maximum
	z := m.list(rest, len(a.touched))
	if len(a.touched) > len(a.sum)/sortShare {
		for e, v := range a.sum {
			if v > 0 {
				z.add(int32(e), v)
			}
		}
		clear(a.sum)
		return m.trim(z)
	}
	slices.Sort(a.touched)
	for _, e := range a.touched {
		z.add(e, a.sum[e])
		a.sum[e] = 0
	}
	return m.trim(z)
}
