package fit

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

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
func (a *arena) offer(x []*fuzzy, degrees []float32) (rest float32) {
	for i, y := range x {
		rest = max(rest, a.norm.Both(degrees[i], y.rest))
		if degrees[i] != 0 && !y.wide() {
			a.raise(y, degrees[i])
		}
	}
	return rest
}

// raise offers the conjunction of a degree and of each that a set lists.
func (a *arena) raise(x *fuzzy, degree float32) {
	m := &a.maximum
	term := m.term[:len(x.ids)]
	a.norm.Scale(term, x.deg, degree)
	for j, e := range x.ids {
		m.raise(e, term[j])
	}
}

// takeBlock is for how many entities the maximum is taken at a time.
const takeBlock = 1024

// foldMax returns the maximum of what was offered and of the x that are wide; offer returned rest.
func (a *arena) foldMax(x []*fuzzy, degrees []float32, rest float32) *fuzzy {
	m := &a.maximum
	full := false
	spread := none
	for i, y := range x {
		full = full || degrees[i] != 0 && y.full != nil
	}
	if order := a.spreading(x, degrees); len(order) > 0 {
		spread = a.spread(x, degrees, order)
		if !full {
			return spread
		}
	} else if !full && !crowded(len(m.touched), a.n) {
		return a.touched(0)
	}
	z := a.dense(rest, a.n)
	for lo := 0; lo < a.n; lo += takeBlock {
		hi := min(lo+takeBlock, a.n)
		for i, y := range x {
			if degrees[i] != 0 && y.full != nil {
				a.norm.Scale(m.term[:hi-lo], y.full[lo:hi], degrees[i])
				simd.MaxOf(m.sum[lo:hi], m.sum[lo:hi], m.term[:hi-lo])
			}
		}
	}
	if spread != none {
		spread.dense(m.term)
		simd.MaxOf(m.sum, m.sum, m.term)
	}
	copy(z.full, m.sum)
	clear(m.sum)
	return z
}

// spreading lists the x that are sparse, but nowhere 0, such as rows of negated atoms.
func (a *arena) spreading(x []*fuzzy, degrees []float32) []int32 {
	list := a.ints.take(len(x))[:0]
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
func (a *arena) spread(x []*fuzzy, degrees []float32, order []int32) *fuzzy {
	m := &a.maximum
	elsewhere := func(i int32) float32 { return a.norm.Both(degrees[i], x[i].rest) }
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(elsewhere(j), elsewhere(i)) })
	for _, i := range order {
		for j, e := range x[i].ids {
			if x[i].deg[j] > x[i].rest {
				m.raise(e, a.norm.Both(degrees[i], x[i].deg[j]))
			}
		}
	}
	ids := a.ints.take(len(m.touched) + len(x[order[0]].ids))[:0]
	ids = append(append(ids, m.touched...), x[order[0]].ids...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	z := a.list(elsewhere(order[0]), len(ids))
	for _, e := range ids {
		best := m.sum[e]
		for _, i := range order {
			if elsewhere(i) <= best {
				break
			}
			best = max(best, a.norm.Both(degrees[i], x[i].at(e)))
		}
		z.add(e, best)
		m.sum[e] = 0
	}
	z = a.trim(z)
	if crowded(len(z.ids), a.n) {
		full := a.dense(z.rest, a.n)
		z.dense(full.full)
		return full
	}
	return z
}

// sortShare is the share of the entities up to which it is less work to sort those that were
// touched than to look at all.
const sortShare = 32

// touched returns the degrees offered, and rest, which is less, for the other entities.
func (a *arena) touched(rest float32) *fuzzy {
	m := &a.maximum
	z := a.list(rest, len(m.touched))
	if len(m.touched) > len(m.sum)/sortShare {
		for e, v := range m.sum {
			if v > 0 {
				z.add(int32(e), v)
			}
		}
		clear(m.sum)
		return a.trim(z)
	}
	slices.Sort(m.touched)
	for _, e := range m.touched {
		z.add(e, m.sum[e])
		m.sum[e] = 0
	}
	return a.trim(z)
}
