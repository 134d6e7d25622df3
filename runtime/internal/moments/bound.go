package moments

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Bound bounds the cosines c_e of a vector with all entities, given the computed u_e.
type Bound struct {
	// Low and High bound Σ_e exp(c_e).
	Low, High float64
	// Every c_e is at most Centre + u_e + Rest.
	Centre, Rest float64
}

// Scratch is the memory that Bound needs. It serves one goroutine at a time, and the workers of a pool.
type Scratch struct {
	unit, rest, image []float32
	along             [components]float32
	parts             []alongPart
	moments           *Moments
	u, times          []float32
	part, product     func(_, i int) // part i, for workers: allocated once
}

// alongPart is the memory for some rows, and their sums.
type alongPart struct {
	exp [blockRows]float32
	sums
}

// partRows is the number of rows that justifies a thread.
const partRows = 16 * blockRows

// Bounds on the products of two norms for which cosines neither underflow nor overflow, and on the total rounding
// error, relative to the sum.
const (
	leastProduct = 1e-30
	mostProduct  = 1e30
	rounding     = 5e-6
)

// turn sets s.unit to the normalised vector. It reports false if cosines with it could underflow or overflow.
func (m *Moments) turn(s *Scratch, vector []float32) bool {
	size := norm(vector)
	if !(m.least*size >= leastProduct && m.most*size <= mostProduct) {
		return false
	}
	if len(s.unit) != m.width {
		room := make([]float32, 3*m.width)
		s.unit = room[:m.width]
		s.rest = room[m.width : 2*m.width]
		s.image = room[2*m.width:]
	}
	for i, v := range vector {
		s.unit[i] = float32(float64(v) / size)
	}
	return true
}

// Bound fills u, n numbers, with the u_e of a vector of 2d numbers and returns the bounds. Without coordinates, every
// u_e is 0. It reports false if it finds no bounds, as for the zero vector. The result does not depend on the number of
// workers.
func (m *Moments) Bound(s *Scratch, u, vector []float32, workers *pool.Pool) (Bound, bool) {
	if !m.turn(s, vector) {
		return Bound{}, false
	}
	copy(s.rest, s.unit)
	along := sums{exp: 1, expSquared: 1}
	if m.Located() {
		simd.DotRows(s.along[:], m.basis, s.unit)
		for i, a := range s.along {
			simd.ScaleAdd(s.rest, s.rest, -a, m.direction(i))
		}
		along = m.along(s, u, workers)
	} else {
		clear(u)
	}
	square := m.quadratic(s, s.rest, workers)
	cross := dot(s.unit, s.image) - square

	b := Bound{Centre: dot(m.mean, s.unit), Rest: m.radius * norm(s.rest)}
	slope, uncorrelated := along.regress()
	middle := along.exp + slope*cross
	spread := math.Sqrt(uncorrelated * square)
	all := float64(m.rows) * math.Exp(b.Centre)
	b.Low = all * (middle - spread + square*math.Exp(along.bottom)*curve(-b.Rest)) * (1 - rounding)
	b.High = all * (middle + spread + square*math.Exp(along.top)*curve(b.Rest)) * (1 + rounding)
	return b, b.Low > 0 && b.High < math.Inf(1)
}

// Located reports whether there are coordinates.
func (m *Moments) Located() bool { return m.coordinates != nil }

// sums are means over the u_e, and the least and largest of them.
type sums struct{ exp, expSquared, expTimes, squared, top, bottom float64 }

// imageRows is the number of rows of C that justifies a thread.
const imageRows = 128

// quadratic returns xᵀ·C·x, and sets s.image to C·x.
func (m *Moments) quadratic(s *Scratch, x []float32, workers *pool.Pool) float64 {
	s.moments = m
	s.times = x
	if s.product == nil {
		s.product = func(_, i int) {
			width := s.moments.width
			lo := i * imageRows
			hi := min(lo+imageRows, width)
			simd.DotRows(s.image[lo:hi], s.moments.second[lo*width:hi*width], s.times)
		}
	}
	workers.Each((m.width+imageRows-1)/imageRows, s.product)
	return max(0, dot(x, s.image))
}

// along computes the u_e and their sums.
func (m *Moments) along(s *Scratch, u []float32, workers *pool.Pool) sums {
	s.moments = m
	s.u = u
	s.parts = reuse.Slice(s.parts, (m.rows+partRows-1)/partRows)
	if s.part == nil {
		s.part = func(_, i int) { s.moments.alongPart(s, i) }
	}
	workers.Each(len(s.parts), s.part)
	s.moments = nil
	s.u = nil
	t := sums{top: math.Inf(-1), bottom: math.Inf(1)}
	for i := range s.parts {
		x := &s.parts[i].sums
		t.top, t.bottom = max(t.top, x.top), min(t.bottom, x.bottom)
		t.exp += x.exp
		t.expSquared += x.expSquared
		t.expTimes += x.expTimes
		t.squared += x.squared
	}
	n := float64(m.rows)
	t.exp, t.expSquared, t.expTimes, t.squared = t.exp/n, t.expSquared/n, t.expTimes/n, t.squared/n
	return t
}

// alongPart computes the u_e of part i, and its terms of the sums.
func (m *Moments) alongPart(s *Scratch, i int) {
	end := min((i+1)*partRows, m.rows)
	p := &s.parts[i]
	t := &p.sums
	*t = sums{top: math.Inf(-1), bottom: math.Inf(1)}
	for lo := i * partRows; lo < end; lo += blockRows {
		hi := min(lo+blockRows, end)
		x := s.u[lo:hi]
		exp := p.exp[:hi-lo]
		clear(x)
		simd.AxpyRows(x, m.coordinates[lo*components:hi*components], s.along[:])
		simd.Scale(exp, x, -1)
		t.top, t.bottom = max(t.top, float64(simd.Max(x))), min(t.bottom, -float64(simd.Max(exp)))
		t.exp += float64(simd.ExpSum(exp, x, 0))
		t.expSquared += dot(exp, exp)
		t.expTimes += dot(exp, x)
		t.squared += dot(x, x)
	}
}

// regress returns the slope b, and the mean of (exp(u) − a − b·u)², which b minimises if the u_e have mean 0.
func (t sums) regress() (slope, uncorrelated float64) {
	if t.squared > 0 {
		slope = t.expTimes / t.squared
	}
	return slope, max(0, t.expSquared-t.exp*t.exp-slope*t.expTimes)
}

// curve is φ(v) = (exp(v) − 1 − v)/v².
func curve(v float64) float64 {
	if math.Abs(v) < 1e-3 {
		return 0.5 + v/6 + v*v/24
	}
	return (math.Expm1(v) - v) / (v * v)
}

// norm returns ‖x‖.
func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
