package moments

import (
	"math/rand/v2"

	"github.com/efoc/efoc/kernels/simd"
)

// rounds is the number of multiplications by the second moments. The subspace need not be exact.
const rounds = 12

// directions finds the approximate directions of largest variance of the rows by subspace iteration: it repeatedly
// multiplies vectors by the second moments and makes them orthonormal.
func (m *Moments) directions() {
	m.basis = make([]float32, components*m.width)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range m.basis {
		m.basis[i] = float32(rng.NormFloat64())
	}
	m.orthonormalize()
	image := make([]float32, m.width)
	for range rounds {
		for i := range components {
			simd.DotRows(image, m.second, m.direction(i))
			copy(m.direction(i), image)
		}
		m.orthonormalize()
	}
}

// direction returns row i of the basis.
func (m *Moments) direction(i int) []float32 { return m.basis[i*m.width : (i+1)*m.width] }

// orthonormalize makes the directions orthonormal, twice because of rounding. A direction in the span of earlier ones
// becomes 0.
func (m *Moments) orthonormalize() {
	for i := range components {
		x := m.direction(i)
		scaleTo1(x)
		for range 2 {
			for j := range i {
				simd.ScaleAdd(x, x, float32(-dot(x, m.direction(j))), m.direction(j))
			}
			if dot(x, x) < 1e-8 {
				clear(x)
			}
			scaleTo1(x)
		}
	}
}

// scaleTo1 normalises a vector, unless it is 0.
func scaleTo1(x []float32) {
	if size := norm(x); size > 0 {
		for i, v := range x {
			x[i] = float32(float64(v) / size)
		}
	}
}
