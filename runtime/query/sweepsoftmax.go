package query

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// The weights of an estimate are exponentials exp(s_e − max s), so that none overflows,
// yet the maximum is known only after the last row. An online softmax (Milakov and
// Gimelshein, "Online normalizer calculation for softmax", 2018) sums in one pass all
// the same: weights are relative to the top, the largest exponent of the chunk so far,
// and when a block raises the top, the partial sum is scaled down to it. With the
// scores 1, 3 in a first block and 2, 5 in a second one:
//
//	block 0   top 3   weights e⁻², e⁰    sum = e⁻²·E₀ + e⁰·E₁
//	block 1   top 5   weights e⁻³, e⁰    sum = e³⁻⁵·sum + e⁻³·E₂ + e⁰·E₃
//
// weigh does this block by block. combine does the same for the sums of the chunks, each
// of which has a top, and scales the weights of block 0, which are still
// relative to 3, by e³⁻⁵. Every block's top at the time, its shift, is kept for that.

// weigh returns the weights of a block's rows in sum i.
func (s *Sweep) weigh(i int, b sweepBlock) []float32 {
	sum := &s.sums[i]
	if sum.g == nil {
		return sum.weights[0][b.lo:b.hi]
	}
	g := sum.g[b.lo:b.hi]
	if len(sum.scores) == 0 {
		s.tops[b.chunk*len(s.sums)+i] = 0
		copy(g, sum.weights[0][b.lo:b.hi])
		multiply(g, sum.weights[1:], b)
		return g
	}
	exponents := sum.scores[0].x[b.lo:b.hi]
	for _, f := range sum.scores[1:] {
		simd.Add(g, exponents, f.x[b.lo:b.hi])
		exponents = g
	}
	top := simd.ExpMax(g, exponents, float32(s.tops[b.chunk*len(s.sums)+i]))
	s.raiseTop(i, b.chunk, float64(top))
	s.shifts[b.index*len(s.sums)+i] = top
	multiply(g, sum.weights, b)
	return g
}

// multiply multiplies g, the weights of a block's rows, by the factors.
func multiply(g []float32, factors []Vector, b sweepBlock) {
	for _, x := range factors {
		simd.Mul(g, g, x[b.lo:b.hi])
	}
}

// raiseTop raises the top of a chunk's sum i, if that grows, and scales the partial sum
// down accordingly.
func (s *Sweep) raiseTop(i, chunk int, top float64) {
	current := &s.tops[chunk*len(s.sums)+i]
	if top <= *current {
		return
	}
	if !math.IsInf(*current, -1) {
		acc := s.row(chunk, i)
		simd.Scale(acc, acc, float32(math.Exp(*current-top)))
	}
	*current = top
}

// combine adds the partial sums i of all chunks, in order, and brings g to one scale.
func (s *Sweep) combine(i int) {
	sum := &s.sums[i]
	clear(sum.dst)
	if len(sum.scores) == 0 { // nothing was scaled
		for c := range s.shape.chunks {
			simd.Add(sum.dst, sum.dst, s.row(c, i)[:len(sum.dst)])
		}
		return
	}
	top := math.Inf(-1)
	for c := range s.shape.chunks {
		top = max(top, s.tops[c*len(s.sums)+i])
	}
	s.largest[i] = top
	for c := range s.shape.chunks {
		simd.ScaleAdd(sum.dst, sum.dst, float32(math.Exp(s.tops[c*len(s.sums)+i]-top)), s.row(c, i)[:len(sum.dst)])
	}
	// Most blocks have the shift of the one before.
	shift := func(b int) float32 { return s.shifts[b*len(s.sums)+i] }
	blocks := (len(sum.g) + s.shape.block - 1) / s.shape.block
	for first, b := 0, 1; b <= blocks; b++ {
		if b < blocks && shift(b) == shift(first) {
			continue
		}
		if by := float32(math.Exp(float64(shift(first)) - top)); by != 1 {
			g := sum.g[first*s.shape.block : min(b*s.shape.block, len(sum.g))]
			simd.Scale(g, g, by)
		}
		first = b
	}
}
