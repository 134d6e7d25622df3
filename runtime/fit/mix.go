package fit

import (
	"math"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// mixture is a pending answer.
type mixture struct{ dst, probabilities, degrees []float32 }

// mixChunk is the number of entities that a worker mixes at a time.
const mixChunk = 4096

// mixer mixes the answers of message passing with truth degrees.
type mixer struct {
	mixture
	scorer Scorer
	chunk  func(_, i int) // for workers: allocated once
}

// mix sets dst to the scores of the mixture of probabilities x and degrees y.
func (m *mixer) mix(dst, x, y []float32, g float64, workers *pool.Pool) {
	if m.chunk == nil {
		m.chunk = func(_, i int) { m.mixChunk(i*mixChunk, min((i+1)*mixChunk, len(m.dst))) }
	}
	m.mixture, m.scorer = mixture{dst, x, y}, NewScorer(g)
	workers.Each((len(x)+mixChunk-1)/mixChunk, m.chunk)
	m.mixture = mixture{}
}

func (m *mixer) mixChunk(lo, hi int) {
	s := m.scorer
	dst := m.dst[lo:hi]
	y := m.degrees[lo:hi]
	for i, p := range m.probabilities[lo:hi] {
		dst[i] = s.Score(p, y[i])
	}
}

// Scorer computes scores of a mixture with a fixed weight.
type Scorer struct{ g, unit float64 }

// NewScorer returns the scorer of a mixture of weight g.
func NewScorer(g float64) Scorer {
	return Scorer{g, 1 / (exp2((1-g)*log2(1+1/floorNSMP)+g*log2(1+1/floorFIT)) - 1)}
}

// Score returns the score of a probability and a degree. In units of F(0, 0), F(p, d) is
// (1+p/a)^(1−g)·(1+d/b)^g, so that small scores are exact.
func (s *Scorer) Score(p, d float32) float32 {
	u := float64(p) * (1 / floorNSMP)
	v := float64(d) * (1 / floorFIT)
	f := 0.0
	switch {
	case u == 0 && v == 0:
	case u+v >= 1e-6 && u+v <= 2/floorNSMP:
		f = exp2((1-s.g)*log2(1+u)+s.g*log2(1+v)) - 1
	default: // so small that 1 + u would lose it, or NaN
		f = math.Expm1((1-s.g)*math.Log1p(u) + s.g*math.Log1p(v))
	}
	return float32(f * s.unit)
}

// Log returns log₂ F of a score.
func (s *Scorer) Log(score float32) float64 { return ScoreEvidence(float64(score), s.g) / math.Ln2 }

// Rough returns log₂ F(p, d) minus at most RoughError: it interpolates logarithms linearly between powers of 2.
func (s *Scorer) Rough(p, d float32) float64 {
	x := math.Float32bits(p + floorNSMP)
	y := math.Float32bits(d + floorFIT)
	return ((1-s.g)*float64(x)+s.g*float64(y))*(1./(1<<23)) - 127
}

// RoughError bounds the error of Rough.
const RoughError = 0.0862

// Degree returns a lower bound on the degrees for which Rough(p, d) reaches log; it is not positive if any does.
func (s *Scorer) Degree(log float64, p float32) float32 {
	left := log - 1e-6 - (1-s.g)*math.Log2(float64(p)+floorNSMP)
	if d := math.Exp2(left/s.g)*(1-1e-6) - floorFIT; d > 0 {
		return float32(d)
	}
	return 0
}

// Probability returns the least p for which log₂ F(p, d) reaches log; it is negative if any p does.
func (s *Scorer) Probability(log float64, d float32) float32 {
	left := log - s.g*math.Log2(float64(d)+floorFIT)
	switch {
	case s.g < 1:
		return float32(math.Exp2(left/(1-s.g)) - floorNSMP)
	case left <= 0:
		return -1
	}
	return float32(math.Inf(1))
}
