package fuzzy

import (
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Set is a fuzzy set: a row of an atom or a product of rows. A sparse set has one degree for most entities and lists
// the others; any other set is full. Sets are immutable once made.
type Set struct {
	Rest float32   // the degree of the entities that are not listed
	IDs  []int32   // ascending
	Deg  []float32 // their degrees
	Full []float32 // the degrees of all entities, instead of the lists; nil if sparse

	Exact exactDegrees // of a row whose degrees are approximate, nil if they are exact
	Of    *Set         // the row that this one negates, if any
}

// exactDegrees computes the exact degrees of a row whose degrees are approximate.
type exactDegrees interface {
	// Degree returns the exact degree of an entity.
	Degree(e int32) float32
	// Off is about the largest error of a degree's logarithm.
	Off() float64
	// Bytes is the memory that it takes.
	Bytes() int
}

// A set that lists more than 1/fullShare of the entities is better stored full: operations on all entities are
// vectorised, and a listed entity takes twice the memory.
const fullShare = 8

// Crowded reports whether a set that lists listed of n entities is better stored full.
func Crowded(listed, n int) bool { return listed > n/fullShare }

// All is the fuzzy set that gives every entity degree 1.
var All = &Set{Rest: 1}

// None is the fuzzy set that gives every entity degree 0.
var None = &Set{}

// At returns the degree of an entity.
func (x *Set) At(e int32) float32 {
	if x.Full != nil {
		return x.Full[e]
	}
	if i := graph.Search(x.IDs, e); i < len(x.IDs) && x.IDs[i] == e {
		return x.Deg[i]
	}
	return x.Rest
}

// Empty reports whether all degrees are 0.
func (x *Set) Empty() bool { return x.Full == nil && x.Rest == 0 && len(x.IDs) == 0 }

// Own reports whether an entity's degree differs from Rest.
func (x *Set) Own(e int32) bool { return x.At(e) != x.Rest }

// Wide reports whether Offer leaves a set to FoldMax.
func (x *Set) Wide() bool { return x.Full != nil || x.Rest != 0 }

// Bytes returns the size of the numbers.
func (x *Set) Bytes() int {
	bytes := 4*cap(x.IDs) + 4*cap(x.Deg) + 4*cap(x.Full) + 64
	if x.Exact != nil {
		bytes += x.Exact.Bytes()
	}
	return bytes
}

// Size returns the number of degrees in the set.
func (x *Set) Size() int { return max(len(x.IDs), len(x.Full)) }

// Add appends an entity to the list, unless its degree is Rest.
func (x *Set) Add(e int32, deg float32) {
	if deg != x.Rest {
		x.IDs = append(x.IDs, e)
		x.Deg = append(x.Deg, deg)
	}
}

// Top returns the largest degree of n entities.
func (x *Set) Top(n int) float32 {
	if x.Full != nil {
		return simd.Max(x.Full)
	}
	best := float32(0)
	if len(x.IDs) < n {
		best = x.Rest
	}
	for _, d := range x.Deg {
		best = max(best, d)
	}
	return best
}

// Dense writes the degrees of all entities.
func (x *Set) Dense(dst []float32) {
	if x.Full != nil {
		copy(dst, x.Full)
		return
	}
	clear(dst)
	if x.Rest != 0 {
		for i := range dst {
			dst[i] = x.Rest
		}
	}
	for i, e := range x.IDs {
		dst[e] = x.Deg[i]
	}
}
