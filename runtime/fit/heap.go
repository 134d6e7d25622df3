package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
)

// heap keeps the k best of the entities offered to it; its root is the worst of
// them.
type heap struct {
	k    int
	list []rank.Ranked
}

func worse(a, b rank.Ranked) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Entity > b.Entity
}

func (h *heap) full() bool { return len(h.list) == h.k }

// best offers the entities of a fuzzy set over n whose degree is above 0, and leaves
// the k best in the list, best first, ties in order of id.
func (h *heap) best(x *fuzzy, k, n int) []rank.Ranked {
	h.k, h.list = min(k, n), h.list[:0]
	if x.full != nil {
		h.all(x.full)
		return h.sorted()
	}
	next := 0
	for i, e := range x.ids {
		h.rest(x.rest, next, int(e))
		next = int(e) + 1
		if x.deg[i] > 0 {
			h.offer(e, x.deg[i])
		}
	}
	h.rest(x.rest, next, n)
	return h.sorted()
}

// heapBlock is how many degrees are looked at together.
const heapBlock = 64

// all offers all entities whose degree is above 0.
func (h *heap) all(degrees []float32) {
	for lo := 0; lo < len(degrees); lo += heapBlock {
		block := degrees[lo:min(lo+heapBlock, len(degrees))]
		if h.full() && (h.k == 0 || simd.Max(block) <= h.list[0].Score) {
			continue
		}
		for i, d := range block {
			if d > 0 {
				h.offer(int32(lo+i), d)
			}
		}
	}
}

// sorted sorts the list.
func (h *heap) sorted() []rank.Ranked {
	slices.SortFunc(h.list, func(a, b rank.Ranked) int {
		if worse(b, a) {
			return -1
		}
		return 1
	})
	return h.list
}

// rest offers the entities from lo to hi, excluded, which have the same degree.
func (h *heap) rest(deg float32, lo, hi int) {
	for ; lo < hi && deg > 0 && (!h.full() || h.list[0].Score < deg); lo++ {
		h.offer(int32(lo), deg)
	}
}

func (h *heap) offer(id int32, deg float32) {
	m := rank.Ranked{Entity: model.EntityID(id), Score: deg}
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
