package fit

import "github.com/efoc/efoc/kernels/simd"

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
