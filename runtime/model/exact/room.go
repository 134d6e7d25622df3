package exact

import "github.com/efoc/efoc/kernels/reuse"

// room is the memory that successive calls of a solver reuse.
type room struct {
	numbers  []int32
	used     int // numbers used by the lists of this call
	problems []*problem
	open     int // problems being solved
	// For one projection.
	edges, positive, negated []edge
	// For one step of solve.
	near, far []bool
}

// roomSize is the capacity of a room in numbers. Further lists are allocated.
const roomSize = 1 << 14

// list returns an empty list with room for n numbers. It lasts until the next call, if keep is called once it is
// filled and before the next list.
func (r *room) list(n int) []int32 {
	if n > roomSize-r.used {
		return make([]int32, 0, min(n, listedAtFirst))
	}
	r.numbers = reuse.Slice(r.numbers, roomSize)
	return r.numbers[r.used : r.used : r.used+n]
}

// listedAtFirst bounds the initial capacity of an allocated list.
const listedAtFirst = 64

// keep keeps a list.
func (r *room) keep(x []int32) []int32 {
	if len(x) > 0 && r.used < len(r.numbers) && &x[0] == &r.numbers[r.used] {
		r.used += len(x)
	}
	return x[:len(x):len(x)]
}

// problem returns an empty problem. It is freed when open is reset to its earlier value.
func (r *room) problem() *problem {
	if r.open == len(r.problems) {
		r.problems = append(r.problems, &problem{})
	}
	q := r.problems[r.open]
	r.open++
	*q = problem{domains: q.domains[:0], links: q.links[:0], loops: q.loops[:0]}
	return q
}

// forget drops references to facts.
func (r *room) forget() {
	for _, q := range r.problems {
		clear(q.domains[:cap(q.domains)])
		clear(q.links[:cap(q.links)])
		clear(q.loops[:cap(q.loops)])
		q.filters = nil
		q.selections = nil
	}
	for _, edges := range [][]edge{r.edges, r.positive, r.negated} {
		clear(edges[:cap(edges)])
	}
}
