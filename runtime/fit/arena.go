package fit

import (
	"unsafe"

	"github.com/efoc/efoc/runtime/internal/rank"
)

// arena is the memory of the fuzzy sets of one run of a plan, over n entities: memory taken from it lasts
// until the next run starts. It grows to the needs of the runs and is reused, so that a run allocates
// nothing.
type arena struct {
	norm    Norm
	n       int
	ints    slab[int32]
	floats  slab[float32]
	lists   slab[fuzzy]
	each    slab[*fuzzy]
	ranked  []rank.Ranked // of best
	maximum maximum
}

// maximum is the room in which a maximum is taken: n numbers each.
type maximum struct {
	sum, term []float32 // sum is 0 between two uses
	touched   []int32   // where sum is above 0, if it was made of lists
}

// numberBytes is the size of the numbers in an arena.
const numberBytes = 4

// reset gives everything back.
func (a *arena) reset() {
	a.ints.reset()
	a.floats.reset()
	a.lists.forget()
	a.each.forget()
}

// bytes returns the memory of everything taken.
func (a *arena) bytes() int64 {
	numbers := cap(a.maximum.sum) + cap(a.maximum.term) + cap(a.maximum.touched)
	return a.ints.bytes() + a.floats.bytes() + a.lists.bytes() + a.each.bytes() +
		numberBytes*int64(numbers) + int64(cap(a.ranked))*int64(unsafe.Sizeof(rank.Ranked{}))
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

// dense returns a full fuzzy set of n entities, to be filled in.
func (a *arena) dense(rest float32, n int) *fuzzy {
	x := a.lists.one()
	x.rest, x.full = rest, a.floats.take(n)
	return x
}
