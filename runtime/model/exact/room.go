package exact

import "github.com/efoc/efoc/kernels/reuse"

// room is the memory that a solver's calls use one after the other.
type room struct {
	numbers  []int32
	used     int // of the numbers, by the lists of this call
	problems []*problem
	open     int // of the problems: those being solved
	// Of one projection.
	edges, positive, negated []edge
	// Of one step of solve.
	near, far []bool
}

// roomSize is how many numbers a room has. Lists beyond it are allocated.
const roomSize = 1 << 14

// list returns an empty list with room for n numbers. It lasts until the next call, if keep is called once it is filled
// and before another list is begun.
func (r *room) list(n int) []int32 {
	if n > roomSize-r.used {
		return make([]int32, 0, min(n, listedAtFirst))
	}
	r.numbers = reuse.Slice(r.numbers, roomSize)
	return r.numbers[r.used : r.used : r.used+n]
}

// listedAtFirst bounds the numbers of an allocated list that there is room for before there are any.
const listedAtFirst = 64

// keep keeps a list.
func (r *room) keep(x []int32) []int32 {
	if len(x) > 0 && r.used < len(r.numbers) && &x[0] == &r.numbers[r.used] {
		r.used += len(x)
	}
	return x[:len(x):len(x)]
}

// problem returns an empty problem. It lasts until open is what it was before.
func (r *room) problem() *problem {
	if r.open == len(r.problems) {
		r.problems = append(r.problems, &problem{})
	}
	q := r.problems[r.open]
	r.open++
	*q = problem{domains: q.domains[:0], links: q.links[:0], loops: q.loops[:0]}
	return q
}

// forget lets go of facts.
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
