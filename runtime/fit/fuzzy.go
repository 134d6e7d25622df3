package fit

import "slices"

// fuzzy is a fuzzy set over the entities that has one degree nearly everywhere:
// the rows of atoms and their products. It is not changed once it is made.
type fuzzy struct {
	rest float32   // the degree of the entities that are not listed
	ids  []int32   // ascending
	deg  []float32 // their degrees
}

// all is the fuzzy set that holds every entity to degree 1.
var all = &fuzzy{rest: 1}

// at returns the degree of an entity.
func (x *fuzzy) at(e int32) float32 {
	if i, ok := slices.BinarySearch(x.ids, e); ok {
		return x.deg[i]
	}
	return x.rest
}

// bytes returns the size of the lists.
func (x *fuzzy) bytes() int { return 4*cap(x.ids) + 4*cap(x.deg) + 64 }

// mul returns x ∘ y.
func mul(x, y *fuzzy) *fuzzy {
	switch {
	case x == all:
		return y
	case y == all:
		return x
	case x.rest == 0 && len(y.ids) > 8*len(x.ids):
		return meet(x, y)
	case y.rest == 0 && len(x.ids) > 8*len(y.ids):
		return meet(y, x)
	}
	z := &fuzzy{rest: x.rest * y.rest}
	size := len(x.ids) + len(y.ids)
	switch {
	case x.rest == 0 && y.rest == 0:
		size = min(len(x.ids), len(y.ids))
	case x.rest == 0:
		size = len(x.ids)
	case y.rest == 0:
		size = len(y.ids)
	}
	z.ids, z.deg = make([]int32, 0, size), make([]float32, 0, size)
	i, j := 0, 0
	for i < len(x.ids) || j < len(y.ids) {
		switch {
		case j == len(y.ids) || i < len(x.ids) && x.ids[i] < y.ids[j]:
			if y.rest != 0 {
				z.add(x.ids[i], x.deg[i]*y.rest)
			}
			i++
		case i == len(x.ids) || y.ids[j] < x.ids[i]:
			if x.rest != 0 {
				z.add(y.ids[j], x.rest*y.deg[j])
			}
			j++
		default:
			z.add(x.ids[i], x.deg[i]*y.deg[j])
			i, j = i+1, j+1
		}
	}
	return z
}

// meet returns x ∘ y where x is 0 outside a short list.
func meet(x, y *fuzzy) *fuzzy {
	z := &fuzzy{ids: make([]int32, 0, len(x.ids)), deg: make([]float32, 0, len(x.ids))}
	for i, e := range x.ids {
		z.add(e, x.deg[i]*y.at(e))
	}
	return z
}

// add lists an entity behind those that are listed, unless it adds nothing.
func (x *fuzzy) add(e int32, deg float32) {
	if deg != x.rest {
		x.ids, x.deg = append(x.ids, e), append(x.deg, deg)
	}
}

// negated returns 1 − min(1, ν·x).
func (x *fuzzy) negated(nu float32) *fuzzy {
	not := func(d float32) float32 { return 1 - min(1, nu*d) }
	z := &fuzzy{rest: not(x.rest), ids: x.ids, deg: make([]float32, len(x.deg))}
	for i, d := range x.deg {
		z.deg[i] = not(d)
	}
	return z
}

// top returns the largest degree of n entities.
func (x *fuzzy) top(n int) float32 {
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
	for i := range dst {
		dst[i] = x.rest
	}
	for i, e := range x.ids {
		dst[e] = x.deg[i]
	}
}

// best returns the k entities of largest degree above 0, best first, ties in order
// of id. There are n entities.
func (x *fuzzy) best(k, n int) []int32 {
	h := heap{k: min(k, n)}
	next := 0
	rest := func(before int32) { // those that are not listed
		for ; int32(next) < before; next++ {
			if x.rest <= 0 || h.full() && h.list[0].deg >= x.rest {
				next = int(before)
				break
			}
			h.offer(int32(next), x.rest)
		}
	}
	for i, e := range x.ids {
		rest(e)
		next = int(e) + 1
		if x.deg[i] > 0 {
			h.offer(e, x.deg[i])
		}
	}
	rest(int32(n))
	return h.sorted()
}

// heap keeps the k best of the entities that it is offered; the worst is its root.
type heap struct {
	k    int
	list []member
}

type member struct {
	id  int32
	deg float32
}

func worse(a, b member) bool { return a.deg < b.deg || a.deg == b.deg && a.id > b.id }

func (h *heap) full() bool { return len(h.list) == h.k }

func (h *heap) offer(id int32, deg float32) {
	m := member{id, deg}
	if !h.full() {
		h.list = append(h.list, m)
		for i := len(h.list) - 1; i > 0 && worse(h.list[i], h.list[(i-1)/2]); i = (i - 1) / 2 {
			h.list[i], h.list[(i-1)/2] = h.list[(i-1)/2], h.list[i]
		}
		return
	}
	if h.k == 0 || !worse(h.list[0], m) {
		return
	}
	h.list[0] = m
	for i := 0; ; {
		c := 2*i + 1
		if c >= h.k {
			return
		}
		if c+1 < h.k && worse(h.list[c+1], h.list[c]) {
			c++
		}
		if !worse(h.list[c], h.list[i]) {
			return
		}
		h.list[i], h.list[c] = h.list[c], h.list[i]
		i = c
	}
}

func (h *heap) sorted() []int32 {
	slices.SortFunc(h.list, func(a, b member) int {
		if worse(b, a) {
			return -1
		}
		return 1
	})
	ids := make([]int32, len(h.list))
	for i, m := range h.list {
		ids[i] = m.id
	}
	return ids
}
