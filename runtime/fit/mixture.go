package fit

import (
	"math"
)

// The floors of the mixture p ∝ (p_NSMP + a)^(1−g)·(p_FIT + b)^g − a^(1−g)·b^g, a and b,
// normalised over the entities: an entity that one of the two rules out is still ranked by
// the other. One that both rule out, such as one that an inequality excludes, has
// probability 0; nothing depends on whether a tiny number was rounded to 0.
const (
	floorNSMP = 1e-12
	floorFIT  = 1e-6
	// leastTotal is the least sum that a mixture is divided by, in units of a^(1−g)·b^g: what
	// adds up to less says nothing of any entity.
	leastTotal = 1e-9
)

// LogProbabilities replaces the probabilities of message passing by their contributions to a
// mixture: see MixLogs.
func LogProbabilities(x []float32) { logs(x, floorNSMP) }

// LogDegrees replaces truth degrees by their contributions to a mixture: see MixLogs.
func LogDegrees(x []float32) { logs(x, floorFIT) }

func logs(x []float32, floor float64) {
	none := float32(math.Log(floor))
	for i, p := range x {
		if x[i] = none; p > 0 {
			x[i] = float32(math.Log(float64(p) + floor))
		}
	}
}

// MixLogs sets dst to the logarithms of (p_NSMP + a)^(1−g)·(p_FIT + b)^g, which rank as Mixed
// does. Compute the inputs once for mixtures of any weight.
func MixLogs(dst, probabilities, degrees []float32, g float64) {
	a, b := float32(1-g), float32(g)
	for i, p := range probabilities {
		dst[i] = a*p + b*degrees[i]
	}
}

// DegreeEvidence, MixtureEvidence and ShareEvidence are the logarithms from which confidence is
// computed: of a truth degree; of the contribution of a probability and a degree to a mixture
// of weight g; and of a share of such a mixture, multiplied by Machine.Total.
func DegreeEvidence(degree float64) float64 { return math.Log(degree + floorFIT) }

func MixtureEvidence(probability, degree, g float64) float64 {
	return (1-g)*math.Log(probability+floorNSMP) + g*math.Log(degree+floorFIT)
}

func ShareEvidence(share, g float64) float64 {
	return math.Log(share + power(floorNSMP, 1-g)*power(floorFIT, g))
}
