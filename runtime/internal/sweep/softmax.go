package sweep

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// The weights of an estimate are exponentials exp(s_e − max s), so that none overflows, but the maximum is known only
// after the last row. An online softmax (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018)
// still sums in one sweep: weights are relative to the top, the largest exponent of the chunk so far, and when a tile
// raises the top, the partial sum is scaled down to it. With scores 1, 3 in a first tile and 2, 5 in a second one:
//
//	tile 0   top 3   weights e⁻², e⁰    sum = e⁻²·E₀ + e⁰·E₁
//	tile 1   top 5   weights e⁻³, e⁰    sum = e³⁻⁵·sum + e⁻³·E₂ + e⁰·E₃
//
// weigh does this tile by tile. combine does the same for the sums of the chunks, each with its own top, and rescales
// the weights of earlier tiles: here those of tile 0, relative to 3, by e³⁻⁵. For that, each tile's top at the time
// is kept as its shift.

// clear resets the sums of a chunk.
func (p *Sweep) clear(chunk int) {
	clear(p.partial[chunk])
	for i := range p.Sums {
		p.tops[chunk*len(p.Sums)+i] = math.Inf(-1)
	}
}

// weigh returns the weights of a tile's rows in sum i.
func (p *Sweep) weigh(i int, t tile) []float32 {
	sum := &p.Sums[i]
	if sum.G == nil {
		return sum.Weights[0][t.lo:t.hi]
	}
	g := sum.G[t.lo:t.hi]
	if len(sum.Scores) == 0 {
		copy(g, sum.Weights[0][t.lo:t.hi])
		multiply(g, sum.Weights[1:], t)
		return g
	}
	exponents := p.Score(sum.Scores[0])[t.lo:t.hi]
	for _, x := range sum.Scores[1:] {
		simd.Add(g, exponents, p.Score(x)[t.lo:t.hi])
		exponents = g
	}
	top := simd.ExpMax(g, exponents, float32(p.tops[t.chunk*len(p.Sums)+i]))
	p.raiseTop(i, t.chunk, float64(top))
	p.shifts[t.index*len(p.Sums)+i] = top
	multiply(g, sum.Weights, t)
	return g
}

// multiply multiplies g, the weights of a tile's rows, by the factors.
func multiply(g []float32, factors [][]float32, t tile) {
	for _, x := range factors {
		simd.Mul(g, g, x[t.lo:t.hi])
	}
}

// raiseTop raises the top of a chunk's sum i if top is larger, and scales the partial sum down accordingly.
func (p *Sweep) raiseTop(i, chunk int, top float64) {
	current := &p.tops[chunk*len(p.Sums)+i]
	if top <= *current {
		return
	}
	if !math.IsInf(*current, -1) {
		acc := p.row(chunk, i)
		simd.Scale(acc, acc, float32(math.Exp(*current-top)))
	}
	*current = top
}

// combine adds the partial sums i of all chunks, in order, and rescales the weights to a common top.
func (p *Sweep) combine(i int) {
	sum := &p.Sums[i]
	if len(sum.Scores) == 0 { // nothing was scaled
		p.add(sum.Dst, i)
		return
	}
	top := math.Inf(-1)
	for c := range p.chunks {
		top = max(top, p.tops[c*len(p.Sums)+i])
	}
	sum.Top = top
	clear(sum.Dst)
	for c := range p.chunks {
		by := float32(math.Exp(p.tops[c*len(p.Sums)+i] - top))
		simd.ScaleAdd(sum.Dst, sum.Dst, by, p.row(c, i)[:len(sum.Dst)])
	}
	// Most tiles have the same shift as the previous tile.
	shift := func(t int) float32 { return p.shifts[t*len(p.Sums)+i] }
	for first, t, tiles := 0, 1, p.tiles(); t <= tiles; t++ {
		if t < tiles && shift(t) == shift(first) {
			continue
		}
		if by := float32(math.Exp(float64(shift(first)) - top)); by != 1 {
			g := sum.G[first*p.shape.Tile : min(t*p.shape.Tile, p.n)]
			simd.Scale(g, g, by)
		}
		first = t
	}
}

// exponentiate exponentiates the bounded columns of a chunk, the rows lo to hi.
func (p *Sweep) exponentiate(chunk, lo, hi int) {
	for i := range p.Exponentials {
		e := &p.Exponentials[i]
		x := e.X[lo:hi]
		if e.From != nil {
			simd.Scale(x, e.From[lo:hi], e.By)
		}
		if e.Bounded {
			p.totals[i*p.chunks+chunk] = float64(simd.ExpSum(x, x, 0))
		}
	}
}

// total sums exponential i, computing it first if it is not bounded.
func (p *Sweep) total(i int) {
	e := &p.Exponentials[i]
	e.Top = 0
	e.Sum = 0
	if !e.Bounded {
		e.Top = simd.Max(e.X)
		e.Sum = float64(simd.ExpSum(e.X, e.X, e.Top))
		return
	}
	for _, s := range p.totals[i*p.chunks : (i+1)*p.chunks] {
		e.Sum += s
	}
}
