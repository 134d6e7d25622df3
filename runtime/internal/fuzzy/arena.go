package fuzzy

import (
	"unsafe"

	"github.com/efoc/efoc/runtime/internal/top"
)

// Arena is the memory of the fuzzy sets of one run of a plan, over n entities: memory taken from it lasts until the
// next run starts. It grows as needed and is reused, so a run allocates nothing.
type Arena struct {
	Norm    Norm
	N       int
	Ints    Slab[int32]
	Floats  Slab[float32]
	Lists   Slab[Set]
	Each    Slab[*Set]
	Maximum maximum
	ranked  []top.Ranked // buffer of Best
}

// maximum is the memory for computing a maximum: N numbers each.
type maximum struct {
	Sum, term []float32 // Sum is 0 between uses
	Touched   []int32   // the entities with a positive Sum, if it comes from lists
}

// NumberBytes is the size of the numbers in an arena.
const NumberBytes = 4

// Reset frees everything.
func (a *Arena) Reset() {
	a.Ints.reset()
	a.Floats.reset()
	a.Lists.Forget()
	a.Each.Forget()
}

// Bytes returns the memory of everything allocated.
func (a *Arena) Bytes() int64 {
	numbers := cap(a.Maximum.Sum) + cap(a.Maximum.term) + cap(a.Maximum.Touched)
	return a.Ints.Bytes() + a.Floats.Bytes() + a.Lists.Bytes() + a.Each.Bytes() +
		NumberBytes*int64(numbers) + int64(cap(a.ranked))*int64(unsafe.Sizeof(top.Ranked{}))
}

// List returns an empty fuzzy set with room for size entities; Trim frees the rest. Take nothing in between.
func (a *Arena) List(rest float32, size int) *Set {
	x := a.Lists.One()
	x.Rest, x.IDs, x.Deg = rest, a.Ints.Take(size)[:0], a.Floats.Take(size)[:0]
	return x
}

// Trim frees the unused room of a set from List.
func (a *Arena) Trim(x *Set) *Set {
	x.IDs = a.Ints.shrink(x.IDs[:cap(x.IDs)], len(x.IDs))
	x.Deg = a.Floats.shrink(x.Deg[:cap(x.Deg)], len(x.Deg))
	return x
}

// Constant returns the fuzzy set that gives every entity the same degree.
func (a *Arena) Constant(rest float32) *Set {
	x := a.Lists.One()
	x.Rest = rest
	return x
}

// Dense returns a full fuzzy set of n entities, to be filled in.
func (a *Arena) Dense(rest float32, n int) *Set {
	x := a.Lists.One()
	x.Rest, x.Full = rest, a.Floats.Take(n)
	return x
}
