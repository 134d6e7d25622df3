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

	exact exactDegrees // of a row whose degrees are approximate, nil if they are exact
	of    *fuzzy       // that this negates, if it is such a row
}

// exactDegrees computes the exact degrees of a row whose degrees are approximate.
type exactDegrees interface {
	// degree returns the exact degree of an entity.
	degree(e int32) float32
	// off is the logarithm of how far degrees are off, about the most.
	off() float64
	// bytes is the memory that it takes.
	bytes() int
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

// wide reports whether offer leaves a set to take.
func (x *fuzzy) wide() bool { return x.full != nil || x.rest != 0 }

// bytes returns the size of the numbers.
func (x *fuzzy) bytes() int {
	bytes := 4*cap(x.ids) + 4*cap(x.deg) + 4*cap(x.full) + 64
	if x.exact != nil {
		bytes += x.exact.bytes()
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
