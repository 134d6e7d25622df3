package kernels

// Traverse computes dst[t] = Σ x[h] over the edges (h, t): the product of x with
// a 0/1 matrix given by its non-zero cells.
func Traverse(dst, x []float32, heads, tails []int32) {
	clear(dst)
	for i, h := range heads {
		if v := x[h]; v != 0 {
			dst[tails[i]] += v
		}
	}
}

// Neighbors sets dst to 1 at the listed entities, which may repeat, and to 0 elsewhere.
func Neighbors(dst []float32, entities []int32) {
	clear(dst)
	for _, e := range entities {
		dst[e] = 1
	}
}

// Loops sets dst to 1 at every entity with an edge to itself and to 0 elsewhere. Tail t is entity t+first.
func Loops(dst []float32, heads, tails []int32, first int32) {
	clear(dst)
	for i, h := range heads {
		if t := tails[i]; h == t+first {
			dst[t] = 1
		}
	}
}
