package sweep

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
)

// Residual is the part missing from a sum of rows that was made with estimated weights ŵ, from rows
// v̂_e that may be codes:
//
//	Σ_e x[e]·v_e = Σ_e ŵ[e]·v̂_e + Σ_{e∈R} (x[e]·v_e − ŵ[e]·v̂_e) + ρ,  ŵ = K·g + L·h.
//
// R are the rows whose weights differ, and those in Large. If K and L are 0, the residual is the whole sum. Workers
// share ranges of rows, called parts; the sums of the parts are added in order, so the result does not depend on the
// number of threads.
type Residual struct {
	X, G, H []float32
	K, L    float32
	Total   int         // rows, including other parts of a split table
	Coarse  rows.Source // the result of Sweep.Coarse
	Large   []int32     // rows to read exactly if Coarse is not nil, in order

	model    *model.Model
	relative float32 // differences up to relative·x[e] or floor are omitted
	floor    float32
	parts    []residualPart
	add      func(_, i int) // part i, for workers: allocated once
	crowded  bool           // most rows differ, so that nothing was summed
	lengths  lengths        // of all parts
}

// Tolerances. The difference of a row is omitted if it is at most relativeResidual of the weight, or totalResidual
// spread over all rows: together such differences exceed leftResidual only if rows cancel.
const (
	relativeResidual = 2e-6
	totalResidual    = 4e-7
	// leftResidual bounds the total of omitted differences, relative to the sum.
	leftResidual = 3e-6
	// largestEstimate bounds the estimate, relative to the weights.
	largestEstimate = 4
	// coarser multiplies leftResidual for sums of codes, each off by some thousandths.
	coarser = 50
)

const (
	// partRows is the least number of rows that justifies a thread.
	partRows = 1024
	// maxParts bounds the number of parts; each part has its own sum.
	maxParts = 256
	// float32Run is how many numbers are summed in float32 before they are added in float64.
	float32Run = 2048
)

// lengths are sums of row lengths ‖E_e‖, weighted by the row's omitted difference, by its weight, and by its
// estimates K·g and L·h.
type lengths struct{ left, weights, estimates float64 }

// add adds the lengths of other rows.
func (l *lengths) add(o lengths) {
	l.left += o.left
	l.weights += o.weights
	l.estimates += o.estimates
}

// swap adds weighted rows: some as first read, others exactly.
type swap struct {
	rows    []int32 // as first read
	weights []float32
	exact   []float32 // weights of exact rows
	sum     []float32 // with the padding of codes
}

func (s *swap) begin(stride int) {
	s.rows = s.rows[:0]
	s.weights = s.weights[:0]
	s.exact = s.exact[:0]
	s.sum = reuse.Slice(s.sum, stride)
	clear(s.sum)
}

// add computes the sum, with the exact rows ids.
func (s *swap) add(before rows.Source, ids []int32) {
	before.AddAt(s.sum, s.rows, s.weights)
	if len(ids) > 0 {
		before.Exact().AddAt(s.sum, ids, s.exact)
	}
}

// residualPart holds the residual of a range of rows; at most half of the rows differ.
type residualPart struct {
	swap
	large []int32
	// Of a block: x − ŵ, its sizes, and the rows of sizes above the floor.
	difference, size [float32Run]float32
	ids              [float32Run]int32
	crowded          bool
	lengths          lengths
}

// Find finds the residual and sums its rows.
func (r *Residual) Find(m *model.Model, workers *pool.Pool) {
	r.model = m
	r.relative = relativeResidual
	r.floor = totalResidual / float32(r.Total)
	if r.Coarse != nil {
		r.relative = coarser * r.relative
		r.floor = coarser * r.floor
	}
	if r.K == 0 && r.L == 0 {
		r.relative = 0
		r.floor = 0
	}
	if r.parts == nil { // batches never need it
		r.parts = make([]residualPart, max(1, min(len(r.X)/partRows, maxParts)))
		r.add = func(_, i int) { r.part(&r.parts[i], i) }
	}
	workers.Each(len(r.parts), r.add)
	r.crowded = false
	r.lengths = lengths{}
	for i := range r.parts {
		p := &r.parts[i]
		r.crowded = r.crowded || p.crowded
		r.lengths.add(p.lengths)
	}
}

// part finds and sums part i.
func (r *Residual) part(p *residualPart, i int) {
	n := len(r.X)
	each := (len(r.X) + len(r.parts) - 1) / len(r.parts)
	p.rows, p.weights = reuse.Slice(p.rows, each/2+1), reuse.Slice(p.weights, each/2+1)
	p.begin(quant.Columns(2 * r.model.Predictor.Rank))
	r.find(p, min(i*each, n), min((i+1)*each, n))
	switch {
	case p.crowded:
	case r.Coarse != nil:
		p.swap.add(r.Coarse, p.large)
	default:
		p.swap.add(rows.Float{Model: r.model}, nil)
	}
}

// find collects the differences in the rows from lo to hi.
func (r *Residual) find(p *residualPart, lo, hi int) {
	p.crowded = false
	p.lengths = lengths{}
	p.large = nil
	if r.Coarse != nil {
		from, _ := slices.BinarySearch(r.Large, int32(lo))
		to, _ := slices.BinarySearch(r.Large, int32(hi))
		p.large = r.Large[from:to]
	}
	large := p.large
	for from := lo; from < hi && !p.crowded; from += float32Run {
		to := min(from+float32Run, hi)
		in, _ := slices.BinarySearch(large, int32(to))
		r.findBlock(p, from, to, large[:in])
		large = large[in:]
	}
}

// findBlock collects, among the rows lo to hi, at most float32Run, the large ones and those whose weights differ.
func (r *Residual) findBlock(p *residualPart, lo, hi int, large []int32) {
	x := r.X[lo:hi]
	g := r.G[lo:hi]
	h := r.H[lo:hi]
	norms := r.model.Predictor.EntityNorms[lo:hi]
	d := p.difference[:len(x)]
	size := p.size[:len(x)]
	var weight, estimate, other, left [1]float32
	simd.ScaleAdd(d, x, -r.K, g)
	simd.DotRows2(weight[:], estimate[:], norms, x, g)
	if r.L != 0 {
		simd.ScaleAdd(d, d, -r.L, h)
		simd.DotRows(other[:], h, norms)
	}
	simd.Scale(size, d, -1)
	simd.MaxOf(size, d, size)
	if len(p.rows)+len(large) > cap(p.rows) {
		p.crowded = true
		return
	}
	list := p.rows
	weights := p.weights
	for _, e := range large {
		v := r.X[e]
		list = append(list, e)
		weights = append(weights, d[int(e)-lo]-v)
		p.exact = append(p.exact, v)
		size[int(e)-lo] = 0
	}
	above := math.Nextafter32(r.floor, 1)
	for _, e := range p.ids[:simd.IndexAbove(p.ids[:len(x)], size, above)] {
		if size[e] <= r.relative*x[e] {
			continue
		}
		if len(list) == cap(list) {
			p.crowded = true
			return
		}
		list = append(list, int32(lo)+e)
		weights = append(weights, d[e])
		size[e] = 0
	}
	p.rows = list
	p.weights = weights
	simd.DotRows(left[:], size, norms)
	p.lengths.add(lengths{float64(left[0]), float64(weight[0]), math.Abs(float64(r.K*estimate[0])) + math.Abs(float64(r.L*other[0]))})
}

// Usable reports whether to add the residual: not if most rows differ, nor if K·g or L·h is too large relative to x,
// which would cancel and lose the digits of x.
func (r *Residual) Usable() bool {
	return !r.crowded && r.lengths.estimates <= largestEstimate*r.lengths.weights
}

// AddTo adds the residual to dst.
func (r *Residual) AddTo(dst []float32) {
	for i := range r.parts {
		simd.Add(dst, dst, r.parts[i].sum[:len(dst)])
	}
}

// Least returns the least length of the sum for which the omitted differences are negligible. A sum is shorter if its
// rows cancel, or if the rows of the largest weights are zero.
func (r *Residual) Least() float64 {
	if r.Coarse != nil {
		return r.lengths.left / (coarser * leftResidual)
	}
	return r.lengths.left / leftResidual
}
