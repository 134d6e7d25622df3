package runtime

import "slices"

// topK returns the k entities of largest x, best first, ties in order of id. It
// keeps the k best so far in a heap whose root is the worst of them.
func topK(x Vector, k int) []EntityID {
	k = min(k, len(x))
	if k == 0 {
		return nil
	}
	worse := func(a, b EntityID) bool {
		if x[a] != x[b] {
			return x[a] < x[b]
		}
		return a > b
	}
	heap := make([]EntityID, 0, k)
	sink := func(i int) {
		for {
			c := 2*i + 1
			if c >= len(heap) {
				return
			}
			if c+1 < len(heap) && worse(heap[c+1], heap[c]) {
				c++
			}
			if !worse(heap[c], heap[i]) {
				return
			}
			heap[i], heap[c] = heap[c], heap[i]
			i = c
		}
	}
	for e := range x {
		id := EntityID(e)
		if len(heap) < k {
			heap = append(heap, id)
			if len(heap) == k {
				for i := k/2 - 1; i >= 0; i-- {
					sink(i)
				}
			}
			continue
		}
		if worse(heap[0], id) {
			heap[0] = id
			sink(0)
		}
	}
	slices.SortFunc(heap, func(a, b EntityID) int {
		if worse(b, a) {
			return -1
		}
		return 1
	})
	return heap
}
