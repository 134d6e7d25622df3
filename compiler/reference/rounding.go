package reference

import (
	"math"

	"github.com/efoc/efoc/runtime/model/graph"
)

// roundings is the maximum perturbation of a result in RunRounded, relative to the summands: 16 units of
// rounding of float32, 2^-24 each. That bounds the error of a float32 sum computed as in the kernels, a few
// dozen terms in a row.
const roundings = 0x1p-20

// off draws the error of a sum of numbers whose absolute values add up to size.
func (mc *machine) off(size float64) float64 {
	if mc.noise == nil || size == 0 {
		return 0
	}
	return roundings * size * mc.noise()
}

// rounded returns x with the error of a few operations; 0 and 1 are exact.
func (mc *machine) rounded(x float64) float64 {
	if x == 0 || x == 1 {
		return x
	}
	return mc.flushed(x + mc.off(x))
}

// leastNormal is the least float32 with full precision. Kernels may flush smaller numbers to 0.
const leastNormal = 0x1p-126

// flushed returns x, or randomly 0 if x is so small that a kernel may flush it.
func (mc *machine) flushed(x float64) float64 {
	if mc.noise != nil && math.Abs(x) < leastNormal && mc.noise() < 0 {
		return 0
	}
	return x
}

// exponential returns e^(x−top). The difference has a float32 error.
func (mc *machine) exponential(x, top float64) float64 {
	e := math.Exp(x - top)
	return mc.flushed(e + mc.off(e*(top-x)/16))
}

// dot returns the inner product of x and y.
func (mc *machine) dot(x, y []float32) float64 {
	if mc.noise == nil {
		return dot(x, y)
	}
	sum := 0.0
	size := 0.0
	for k := range x {
		p := float64(x[k]) * float64(y[k])
		sum += p
		size += math.Abs(p)
	}
	return sum + mc.off(size)
}

// product returns r⊗x, or conj(r)⊗x if backward is set; negated flips the sign.
func (mc *machine) product(x []float32, relation graph.RelationID, backward, negated bool) []float32 {
	r := mc.model.Predictor.Relation(relation)
	y := complexProduct(x, r, backward, negated)
	if mc.noise != nil {
		d := len(r) / 2
		for k := range d {
			size := math.Hypot(float64(x[k]), float64(x[d+k])) * math.Hypot(float64(r[k]), float64(r[d+k]))
			y[k] += float32(mc.off(size) / 4)
			y[d+k] += float32(mc.off(size) / 4)
		}
	}
	return y
}

// complexProduct returns r⊗x, or conj(r)⊗x if backward is set; negated flips the sign.
func complexProduct(x, r []float32, backward, negated bool) []float32 {
	d := len(r) / 2
	y := make([]float32, 2*d)
	for k := range d {
		a := complex(float64(x[k]), float64(x[d+k]))
		b := complex(float64(r[k]), float64(r[d+k]))
		if backward {
			b = complex(real(b), -imag(b))
		}
		p := a * b
		if negated {
			p = -p
		}
		y[k] = float32(real(p))
		y[d+k] = float32(imag(p))
	}
	return y
}

func dot(x, y []float32) float64 {
	sum := 0.0
	for k := range x {
		sum += float64(x[k]) * float64(y[k])
	}
	return sum
}

func round(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}
