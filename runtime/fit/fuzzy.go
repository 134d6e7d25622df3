package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// fuzzy is a fuzzy set: the rows of atoms and their products. One that has one degree nearly
// everywhere is sparse and lists the other entities; any other is full. It is not changed once
// it is made.
type fuzzy struct {
	rest float32   // the degree of the entities that are not listed
	ids  []int32   // ascending
	deg  []float32 // their degrees
	full []float32 // the degrees of all entities, in place of the lists; nil if it is sparse

	coarse *coarse // of a row of codes alone
	of     *fuzzy  // that this negates, if it is such a row
}

// A set that lists more than 1/fullShare of the entities is better stored full: operations on all
// entities are vectorised, and a listed entity takes twice the memory.
const fullShare = 8

// crowded reports whether a set that lists listed of n entities is better stored full.
func crowded(listed, n int) bool { return listed > n/fullShare }

// all is the fuzzy set that holds every entity to degree 1.
var all = &fuzzy{rest: 1}

// none is the fuzzy set that holds every entity to degree 0.
var none = &fuzzy{}

// at returns the degree of an entity.
func (x *fuzzy) at(e int32) float32 {
	if x.full != nil {
		return x.full[e]
	}
	if i, ok := slices.BinarySearch(x.ids, e); ok {
		return x.deg[i]
	}
	return x.rest
}

// empty reports whether no entity has a degree.
func (x *fuzzy) empty() bool { return x.full == nil && x.rest == 0 && len(x.ids) == 0 }

// own reports whether an entity has another degree than those that are not listed.
func (x *fuzzy) own(e int32) bool { return x.at(e) != x.rest }

// bytes returns the size of the numbers.
func (x *fuzzy) bytes() int {
	bytes := 4*cap(x.ids) + 4*cap(x.deg) + 4*cap(x.full) + 64
	if x.coarse != nil {
		bytes += 4*cap(x.coarse.query) + 128
	}
	return bytes
}

// size is how many degrees it holds.
func (x *fuzzy) size() int { return max(len(x.ids), len(x.full)) }

// add lists an entity behind those that are listed, unless it adds nothing.
func (x *fuzzy) add(e int32, deg float32) {
	if deg != x.rest {
		x.ids = append(x.ids, e)
		x.deg = append(x.deg, deg)
	}
}

// top returns the largest degree of n entities.
func (x *fuzzy) top(n int) float32 {
	if x.full != nil {
		return simd.Max(x.full)
	}
	best := float32(0)
	if len(x.ids) < n {
		best = x.rest
	}
	for _, d := range x.deg {
		best = max(best, d)
	}
	return best
}

// dense writes the degrees of all entities.
func (x *fuzzy) dense(dst []float32) {
	if x.full != nil {
		copy(dst, x.full)
		return
	}
	for i := range dst {
		dst[i] = x.rest
	}
	for i, e := range x.ids {
		dst[e] = x.deg[i]
	}
}

// list returns an empty fuzzy set with room for size entities; trim gives back the
// rest. Nothing may be taken in between.
func (a *arena) list(rest float32, size int) *fuzzy {
	x := a.lists.one()
	x.rest, x.ids, x.deg = rest, a.ints.take(size)[:0], a.floats.take(size)[:0]
	return x
}

func (a *arena) trim(x *fuzzy) *fuzzy {
	x.ids = a.ints.shrink(x.ids[:cap(x.ids)], len(x.ids))
	x.deg = a.floats.shrink(x.deg[:cap(x.deg)], len(x.deg))
	return x
}

// constant returns the fuzzy set that holds every entity to one degree.
func (a *arena) constant(rest float32) *fuzzy {
	x := a.lists.one()
	x.rest = rest
	return x
}

// mul returns x ∘ y, the t-norm entry by entry.
func (a *arena) mul(x, y *fuzzy) *fuzzy {
	switch {
	case x == all || y.empty():
		return y
	case y == all || x.empty():
		return x
	case x.full != nil:
		return a.mulFull(y, x)
	case y.full != nil:
		return a.mulFull(x, y)
	case x.rest == 0 && len(y.ids) > 8*len(x.ids):
		return a.meet(x, y)
	case y.rest == 0 && len(x.ids) > 8*len(y.ids):
		return a.meet(y, x)
	}
	size := len(x.ids) + len(y.ids)
	switch {
	case x.rest == 0 && y.rest == 0:
		size = min(len(x.ids), len(y.ids))
	case x.rest == 0:
		size = len(x.ids)
	case y.rest == 0:
		size = len(y.ids)
	}
	z := a.list(a.norm.Both(x.rest, y.rest), size)
	i := 0
	j := 0
	for i < len(x.ids) || j < len(y.ids) {
		switch {
		case j == len(y.ids) || i < len(x.ids) && x.ids[i] < y.ids[j]:
			if y.rest != 0 {
				z.add(x.ids[i], a.norm.Both(x.deg[i], y.rest))
			}
			i++
		case i == len(x.ids) || y.ids[j] < x.ids[i]:
			if x.rest != 0 {
				z.add(y.ids[j], a.norm.Both(x.rest, y.deg[j]))
			}
			j++
		default:
			z.add(x.ids[i], a.norm.Both(x.deg[i], y.deg[j]))
			i++
			j++
		}
	}
	return a.trim(z)
}

// mulFull returns x ∘ y where y is full.
func (a *arena) mulFull(x, y *fuzzy) *fuzzy {
	if x.full == nil && x.rest == 0 {
		return a.meet(x, y)
	}
	z := a.dense(a.norm.Both(x.rest, y.rest), len(y.full))
	if x.full != nil {
		a.norm.All(z.full, x.full, y.full)
		return z
	}
	a.norm.Scale(z.full, y.full, x.rest)
	for i, e := range x.ids {
		z.full[e] = a.norm.Both(x.deg[i], y.full[e])
	}
	return z
}

// dense returns a full fuzzy set of n entities, to be filled in.
func (a *arena) dense(rest float32, n int) *fuzzy {
	x := a.lists.one()
	x.rest, x.full = rest, a.floats.take(n)
	return x
}

// meet returns x ∘ y where x is 0 outside a short list.
func (a *arena) meet(x, y *fuzzy) *fuzzy {
	z := a.list(0, len(x.ids))
	for i, e := range x.ids {
		z.add(e, a.norm.Both(x.deg[i], y.at(e)))
	}
	return a.trim(z)
}

// negated returns 1 − min(1, ν·x).
func (a *arena) negated(x *fuzzy, nu float32) *fuzzy {
	if x.full != nil {
		z := a.dense(negate(x.rest, nu), len(x.full))
		z.of = x
		negateAll(z.full, x.full, nu)
		return z
	}
	z := a.lists.one()
	z.of = x
	z.rest, z.ids, z.deg = negate(x.rest, nu), x.ids, a.floats.take(len(x.deg))
	for i, d := range x.deg {
		z.deg[i] = negate(d, nu)
	}
	return z
}

// negate is the degree of a negated atom.
func negate(d, nu float32) float32 { return 1 - min(1, nu*d) }

// negateAll is negate for each of the degrees.
func negateAll(dst, x []float32, nu float32) {
	simd.Scale(dst, x, -nu)
	simd.AddConst(dst, dst, 1)
	simd.ScaleAbove(dst, dst, 0, 1)
}

// either returns the disjunction of x and y.
func (a *arena) either(x, y *fuzzy) *fuzzy {
	sum := a.norm.Either
	if n := max(len(x.full), len(y.full)); n > 0 {
		z := a.dense(sum(x.rest, y.rest), n)
		other := a.floats.take(n)
		x.dense(z.full)
		y.dense(other)
		for i, p := range z.full {
			z.full[i] = sum(p, other[i])
		}
		return z
	}
	z := a.list(sum(x.rest, y.rest), len(x.ids)+len(y.ids))
	i := 0
	j := 0
	for i < len(x.ids) || j < len(y.ids) {
		switch {
		case j == len(y.ids) || i < len(x.ids) && x.ids[i] < y.ids[j]:
			z.add(x.ids[i], sum(x.deg[i], y.rest))
			i++
		case i == len(x.ids) || y.ids[j] < x.ids[i]:
			z.add(y.ids[j], sum(x.rest, y.deg[j]))
			j++
		default:
			z.add(x.ids[i], sum(x.deg[i], y.deg[j]))
			i++
			j++
		}
	}
	return a.trim(z)
}
