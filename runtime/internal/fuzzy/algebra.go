package fuzzy

import "github.com/efoc/efoc/kernels/simd"

// Mul returns x ∘ y, the t-norm entry by entry.
func (a *Arena) Mul(x, y *Set) *Set {
	switch {
	case x == All || y.Empty():
		return y
	case y == All || x.Empty():
		return x
	case x.Full != nil:
		return a.mulFull(y, x)
	case y.Full != nil:
		return a.mulFull(x, y)
	case x.Rest == 0 && len(y.IDs) > 8*len(x.IDs):
		return a.meet(x, y)
	case y.Rest == 0 && len(x.IDs) > 8*len(y.IDs):
		return a.meet(y, x)
	}
	size := len(x.IDs) + len(y.IDs)
	switch {
	case x.Rest == 0 && y.Rest == 0:
		size = min(len(x.IDs), len(y.IDs))
	case x.Rest == 0:
		size = len(x.IDs)
	case y.Rest == 0:
		size = len(y.IDs)
	}
	z := a.List(a.Norm.Both(x.Rest, y.Rest), size)
	i := 0
	j := 0
	for i < len(x.IDs) || j < len(y.IDs) {
		switch {
		case j == len(y.IDs) || i < len(x.IDs) && x.IDs[i] < y.IDs[j]:
			if y.Rest != 0 {
				z.Add(x.IDs[i], a.Norm.Both(x.Deg[i], y.Rest))
			}
			i++
		case i == len(x.IDs) || y.IDs[j] < x.IDs[i]:
			if x.Rest != 0 {
				z.Add(y.IDs[j], a.Norm.Both(x.Rest, y.Deg[j]))
			}
			j++
		default:
			z.Add(x.IDs[i], a.Norm.Both(x.Deg[i], y.Deg[j]))
			i++
			j++
		}
	}
	return a.Trim(z)
}

// mulFull returns x ∘ y where y is full.
func (a *Arena) mulFull(x, y *Set) *Set {
	if x.Full == nil && x.Rest == 0 {
		return a.meet(x, y)
	}
	z := a.Dense(a.Norm.Both(x.Rest, y.Rest), len(y.Full))
	if x.Full != nil {
		a.Norm.All(z.Full, x.Full, y.Full)
		return z
	}
	a.Norm.Scale(z.Full, y.Full, x.Rest)
	for i, e := range x.IDs {
		z.Full[e] = a.Norm.Both(x.Deg[i], y.Full[e])
	}
	return z
}

// meet returns x ∘ y for an x that is 0 outside a short list.
func (a *Arena) meet(x, y *Set) *Set {
	z := a.List(0, len(x.IDs))
	for i, e := range x.IDs {
		z.Add(e, a.Norm.Both(x.Deg[i], y.At(e)))
	}
	return a.Trim(z)
}

// full returns the degrees of n entities.
func (a *Arena) full(x *Set, n int) []float32 {
	if x.Full != nil {
		return x.Full
	}
	all := a.Floats.Take(n)
	x.Dense(all)
	return all
}

// Negated returns 1 − min(1, ν·x).
func (a *Arena) Negated(x *Set, nu float32) *Set {
	if x.Full != nil {
		z := a.Dense(Negate(x.Rest, nu), len(x.Full))
		z.Of = x
		negateAll(z.Full, x.Full, nu)
		return z
	}
	z := a.Lists.One()
	z.Of = x
	z.Rest, z.IDs, z.Deg = Negate(x.Rest, nu), x.IDs, a.Floats.Take(len(x.Deg))
	for i, d := range x.Deg {
		z.Deg[i] = Negate(d, nu)
	}
	return z
}

// Negate is the degree of a negated atom.
func Negate(d, nu float32) float32 { return 1 - min(1, nu*d) }

// negateAll applies Negate to each degree.
func negateAll(dst, x []float32, nu float32) {
	simd.Scale(dst, x, -nu)
	simd.AddConst(dst, dst, 1)
	simd.ScaleAbove(dst, dst, 0, 1)
}

// Either returns the disjunction of x and y.
func (a *Arena) Either(x, y *Set) *Set {
	sum := a.Norm.Either
	if n := max(len(x.Full), len(y.Full)); n > 0 {
		z := a.Dense(sum(x.Rest, y.Rest), n)
		a.Norm.Sum(z.Full, a.full(x, n), a.full(y, n))
		return z
	}
	z := a.List(sum(x.Rest, y.Rest), len(x.IDs)+len(y.IDs))
	i := 0
	j := 0
	for i < len(x.IDs) || j < len(y.IDs) {
		switch {
		case j == len(y.IDs) || i < len(x.IDs) && x.IDs[i] < y.IDs[j]:
			z.Add(x.IDs[i], sum(x.Deg[i], y.Rest))
			i++
		case i == len(x.IDs) || y.IDs[j] < x.IDs[i]:
			z.Add(y.IDs[j], sum(x.Rest, y.Deg[j]))
			j++
		default:
			z.Add(x.IDs[i], sum(x.Deg[i], y.Deg[j]))
			i++
			j++
		}
	}
	return a.Trim(z)
}
