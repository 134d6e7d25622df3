package fuzzy

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// Start prepares for n entities.
func (a *maximum) Start(n int) {
	if a.Sum == nil {
		a.Sum = make([]float32, n)
		a.term = make([]float32, n)
	}
	a.Touched = a.Touched[:0]
}

// Raise offers a degree of an entity.
func (a *maximum) Raise(e int32, deg float32) {
	if old := a.Sum[e]; deg > old {
		if old == 0 {
			a.Touched = append(a.Touched, e)
		}
		a.Sum[e] = deg
	}
}

// Offer offers the conjunction of degrees[i] and the listed entities of x[i], for each sparse x[i], and returns the
// largest degree of unlisted ones. Wide sets are left to FoldMax.
func (a *Arena) Offer(x []*Set, degrees []float32) (rest float32) {
	for i, y := range x {
		rest = max(rest, a.Norm.Both(degrees[i], y.Rest))
		if degrees[i] != 0 && !y.Wide() {
			a.Raise(y, degrees[i])
		}
	}
	return rest
}

// Raise offers the conjunction of a degree and each listed degree of a set.
func (a *Arena) Raise(x *Set, degree float32) {
	m := &a.Maximum
	term := m.term[:len(x.IDs)]
	a.Norm.Scale(term, x.Deg, degree)
	for j, e := range x.IDs {
		m.Raise(e, term[j])
	}
}

// takeBlock is the number of entities for which the maximum is computed at a time.
const takeBlock = 1024

// FoldMax returns the maximum of the offered degrees and of the wide x; rest is the result of Offer.
func (a *Arena) FoldMax(x []*Set, degrees []float32, rest float32) *Set {
	m := &a.Maximum
	full := false
	spread := None
	for i, y := range x {
		full = full || degrees[i] != 0 && y.Full != nil
	}
	if order := a.spreading(x, degrees); len(order) > 0 {
		spread = a.spread(x, degrees, order)
		if !full {
			return spread
		}
	} else if !full && !Crowded(len(m.Touched), a.N) {
		return a.Touched(0)
	}
	z := a.Dense(rest, a.N)
	for lo := 0; lo < a.N; lo += takeBlock {
		hi := min(lo+takeBlock, a.N)
		for i, y := range x {
			if degrees[i] != 0 && y.Full != nil {
				a.Norm.Scale(m.term[:hi-lo], y.Full[lo:hi], degrees[i])
				simd.MaxOf(m.Sum[lo:hi], m.Sum[lo:hi], m.term[:hi-lo])
			}
		}
	}
	if spread != None {
		spread.Dense(m.term)
		simd.MaxOf(m.Sum, m.Sum, m.term)
	}
	copy(z.Full, m.Sum)
	clear(m.Sum)
	return z
}

// spreading lists the sparse x with a nonzero Rest, such as rows of negated atoms.
func (a *Arena) spreading(x []*Set, degrees []float32) []int32 {
	list := a.Ints.Take(len(x))[:0]
	for i, y := range x {
		if degrees[i] != 0 && y.Full == nil && y.Rest != 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// spread returns the maximum of the offered degrees and of the x that spreading listed in order. Where the first one
// lists nothing, it is the best; elsewhere the others may be better, in order of their Rest.
func (a *Arena) spread(x []*Set, degrees []float32, order []int32) *Set {
	m := &a.Maximum
	rests := a.Floats.Take(len(x))
	for _, i := range order {
		rests[i] = a.Norm.Both(degrees[i], x[i].Rest)
	}
	better := func(i, j int32) int { return cmp.Compare(rests[j], rests[i]) }
	if !slices.IsSortedFunc(order, better) { // candidates of one variable are
		slices.SortStableFunc(order, better)
	}
	for _, i := range order {
		for j, e := range x[i].IDs {
			if x[i].Deg[j] > x[i].Rest {
				m.Raise(e, a.Norm.Both(degrees[i], x[i].Deg[j]))
			}
		}
	}
	ids := a.Ints.Take(len(m.Touched) + len(x[order[0]].IDs))[:0]
	ids = append(append(ids, m.Touched...), x[order[0]].IDs...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	z := a.List(rests[order[0]], len(ids))
	for _, e := range ids {
		best := m.Sum[e]
		for _, i := range order {
			if rests[i] <= best {
				break
			}
			best = max(best, a.Norm.Both(degrees[i], x[i].At(e)))
		}
		z.Add(e, best)
		m.Sum[e] = 0
	}
	z = a.Trim(z)
	if Crowded(len(z.IDs), a.N) {
		full := a.Dense(z.Rest, a.N)
		z.Dense(full.Full)
		return full
	}
	return z
}

// sortShare is the share of the entities up to which sorting the touched ones is less work than visiting all.
const sortShare = 32

// Touched returns the offered degrees, with the smaller rest for the other entities.
func (a *Arena) Touched(rest float32) *Set {
	m := &a.Maximum
	z := a.List(rest, len(m.Touched))
	if len(m.Touched) > len(m.Sum)/sortShare {
		for e, v := range m.Sum {
			if v > 0 {
				z.Add(int32(e), v)
			}
		}
		clear(m.Sum)
		return a.Trim(z)
	}
	slices.Sort(m.Touched)
	for _, e := range m.Touched {
		z.Add(e, m.Sum[e])
		m.Sum[e] = 0
	}
	return a.Trim(z)
}
