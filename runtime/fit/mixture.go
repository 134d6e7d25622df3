package fit

import "math"

// The floors a and b of the mixture, see the package documentation: an entity that one semantics rules out is still
// ranked by the other.
const (
	floorNSMP = 1e-12
	floorFIT  = 1e-6
)

// LogProbabilities replaces the probabilities of message passing by their contributions to a
// mixture: see MixLogs.
func LogProbabilities(x []float32) { logs(x, floorNSMP) }

// LogDegrees replaces truth degrees by their contributions to a mixture: see MixLogs.
func LogDegrees(x []float32) { logs(x, floorFIT) }

func logs(x []float32, floor float64) {
	for i, p := range x {
		x[i] = float32(logAbove(floor, float64(p)))
	}
}

// logAbove returns the natural logarithm of floor + x for a finite x ≥ 0.
func logAbove(floor, x float64) float64 { return math.Ln2 * (log2(1+x/floor) - log2(1/floor)) }

// MixLogs sets dst to the logarithms of (p_NSMP + a)^(1−g)·(p_FIT + b)^g, which rank as Mixed
// does. Compute the inputs once for mixtures of any weight.
func MixLogs(dst, probabilities, degrees []float32, g float64) {
	a := float32(1 - g)
	b := float32(g)
	for i, p := range probabilities {
		dst[i] = a*p + b*degrees[i]
	}
}

// DegreeEvidence, MixtureEvidence and ScoreEvidence return the logarithms that confidence is computed from: of a
// truth degree; of F for a probability and a degree in a mixture of weight g; and of F for a score of such a mixture.
func DegreeEvidence(degree float64) float64 { return logAbove(floorFIT, degree) }

func MixtureEvidence(probability, degree, g float64) float64 {
	return (1-g)*logAbove(floorNSMP, probability) + g*logAbove(floorFIT, degree)
}

func ScoreEvidence(score, g float64) float64 {
	least := math.Exp(MixtureEvidence(0, 0, g))
	most := math.Exp(MixtureEvidence(1, 1, g))
	return math.Log(least + score*(most-least))
}
