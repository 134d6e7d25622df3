package simd

import "math"

// A regime is the magnitude of the numbers in a test.
type regime int

const (
	ordinary  regime = iota // normally distributed
	huge                    // products come near the largest float32
	tiny                    // products are denormal or 0
	vanishing               // denormals and zeros of both signs
	scores                  // as scores of entities may be: up to ±500
	special                 // ordinary numbers, with infinite ones and NaN
	mixed                   // any float32
	regimes
)

func (r regime) String() string {
	return [...]string{"ordinary", "huge", "tiny", "vanishing", "score", "special", "mixed"}[r]
}

var (
	infinity    = float32(math.Inf(1))
	notANumber  = float32(math.NaN())
	minusZero   = float32(math.Copysign(0, -1))
	leastNormal = float32(0x1p-126)
)

// edges are the numbers around which kernels change their behaviour: zeros, the ends of the normal numbers, the
// bounds of the exponential.
var edges = []float32{
	0, minusZero, math.SmallestNonzeroFloat32, 1e-40, leastNormal, 1e-30, 0.5, 1, 80, 87.33654, 87.33655, 88, 88.72283, 88.72284,
	89, 90, 100, 103.97, 104, 128, 200, 500, 1e4, 65504, 1e15, 1e19, 1e30, math.MaxFloat32, infinity, notANumber,
}

// number draws one number of a regime.
func (m *memory) number(r regime) float32 {
	x := float32(m.rng.NormFloat64())
	sign := float32(1 - 2*m.rng.IntN(2))
	switch r {
	case huge:
		return x * 1e18
	case tiny:
		return x * 1e-22
	case vanishing:
		return sign * math.Float32frombits(m.rng.Uint32()>>9*uint32(m.rng.IntN(2)))
	case scores:
		return sign * float32(m.rng.IntN(201)) * []float32{1, 2.5}[m.rng.IntN(2)]
	case special:
		if m.rng.IntN(40) == 0 {
			return []float32{infinity, -infinity, notANumber}[m.rng.IntN(3)]
		}
	case mixed:
		if m.rng.IntN(2) == 0 {
			return sign * edges[m.rng.IntN(len(edges))]
		}
		return math.Float32frombits(m.rng.Uint32())
	}
	return x
}

// numbers returns an operand of n numbers of a regime: runs of numbers that are drawn once.
func (m *memory) numbers(n, ahead int, r regime) []float32 {
	if m.drawn[r] == nil {
		m.drawn[r] = make([]float32, 1<<14)
		for i := range m.drawn[r] {
			m.drawn[r][i] = m.number(r)
		}
	}
	s := m.empty(n, ahead)
	for rest := s; len(rest) > 0; {
		rest = rest[copy(rest, m.drawn[r][m.rng.IntN(len(m.drawn[r])):]):]
	}
	return s
}

// sameNumber reports whether two numbers are equal, NaN being equal to itself and 0
// to −0.
func sameNumber(x, y float32) bool { return x == y || x != x && y != y }

func sameNumbers(x, y []float32) bool {
	for i := range x {
		if !sameNumber(x[i], y[i]) {
			return false
		}
	}
	return len(x) == len(y)
}

// A sum is the expected value of a sum of products.
type sum struct {
	value float64 // exact up to float64
	size  float64 // of the terms that are finite, Σ|p|
	terms int
}

func (s *sum) add(p float64) {
	s.value += p
	s.terms++
	if a := math.Abs(p); a <= math.MaxFloat64 {
		s.size += a
	}
}

// holds reports whether got is the sum as specified by package ref: up to rounding if Σ|p| is a float32;
// infinite or NaN if the sum itself is too large; anything if only partial sums may be.
func (s *sum) holds(got float32) bool {
	switch {
	case s.size <= math.MaxFloat32/2:
		if s.value-s.value != 0 { // infinite, or NaN
			return sameNumber(got, float32(s.value))
		}
		return math.Abs(float64(got)-s.value) <= tolerance*s.size+float64(s.terms)*math.SmallestNonzeroFloat32
	case !(math.Abs(s.value) <= 2*math.MaxFloat32):
		return got-got != 0
	}
	return true
}
