package kernels

import "github.com/efoc/efoc/kernels/simd"

// Relation is a linear map W on rows of 2d numbers, where ⟨W·h, t⟩ is the score of a link from h to t. Backward
// uses Wᵀ.
//
//	Blocks  Numbers  W
//	0       2d       the product with the complex numbers r, whose real half comes first
//	b       2d·b     b × b blocks, each a diagonal of 2d/b numbers: block (i, j), row-major,
//	                 takes part j of a row to part i of the result
//
// So 1 block is a diagonal matrix, and 2d blocks are an arbitrary matrix.
type Relation struct {
	Numbers []float32
	Blocks  int
}

// Project computes dst = W·x, or Wᵀ·x if backward is set, and flips its sign if negated is set.
// dst must not overlap x.
func (r Relation) Project(dst, x []float32, backward, negated bool) {
	switch b := r.Blocks; {
	case b == 0:
		Project(dst, x, r.Numbers, backward, negated)
		return
	case b < len(x):
		r.projectBlocks(dst, x, backward)
	case backward:
		clear(dst)
		simd.AxpyRows(dst, r.Numbers, x)
	default:
		simd.DotRows(dst, r.Numbers, x)
	}
	if negated {
		simd.Scale(dst, dst, -1)
	}
}

func (r Relation) projectBlocks(dst, x []float32, backward bool) {
	b := r.Blocks
	m := len(x) / r.Blocks
	clear(dst)
	for i := range b {
		for j := range b {
			diagonal := r.Numbers[(i*b+j)*m:][:m]
			to := dst[i*m:][:m]
			from := x[j*m:][:m]
			if backward {
				to = dst[j*m:][:m]
				from = x[i*m:][:m]
			}
			for k, w := range diagonal {
				to[k] += w * from[k]
			}
		}
	}
}

// LoopScores computes dst[e] = ⟨W·E_e, E_e⟩, and flips its sign if negated is set. The table has
// len(dst) rows.
func (r Relation) LoopScores(dst, table []float32, negated bool) {
	if len(dst) == 0 {
		return
	}
	b := r.Blocks
	width := len(table) / len(dst)
	if b == 0 {
		loopScores(dst, table, r.Numbers, negated)
		return
	}
	for e := range dst {
		row := table[e*width : (e+1)*width]
		if b == width {
			dst[e] = signed(quadratic(r.Numbers, row), negated)
			continue
		}
		sum := 0.0
		m := width / b
		for i := range b {
			for j := range b {
				diagonal := r.Numbers[(i*b+j)*m:][:m]
				x := row[i*m:][:m]
				y := row[j*m:][:m]
				for k, w := range diagonal {
					sum += float64(w) * float64(x[k]) * float64(y[k])
				}
			}
		}
		dst[e] = signed(sum, negated)
	}
}

// quadratic returns ⟨W·x, x⟩ for a square matrix.
func quadratic(matrix, x []float32) (sum float64) {
	var images [64]float32
	for first := 0; first < len(x); first += len(images) {
		part := x[first:min(first+len(images), len(x))]
		simd.DotRows(images[:len(part)], matrix[first*len(x):], x)
		for k, v := range part {
			sum += float64(v) * float64(images[k])
		}
	}
	return sum
}
