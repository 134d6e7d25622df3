package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Interval holds the ends of a 95% bootstrap interval.
type Interval [2]float64

const (
	resamples = 1000
	// The ends of a 95% interval.
	lowest, highest = 0.025, 0.975
)

// resample returns the means of bootstrap samples of the values. The same values give the same means.
func resample(values []float64) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(len(values))))
	means := make([]float64, resamples)
	sample := make([]float64, len(values))
	for i := range means {
		for k := range sample {
			sample[k] = values[rng.IntN(len(values))]
		}
		means[i] = stat.Mean(sample, nil)
	}
	return means
}

// interval returns the interval of a mean over shapes of the means over their queries, from the
// resampled means of each shape.
func interval(shapes ...[]float64) Interval {
	means := make([]float64, resamples)
	for _, s := range shapes {
		floats.AddScaled(means, 1/float64(len(shapes)), s)
	}
	slices.Sort(means)
	return Interval{stat.Quantile(lowest, stat.LinInterp, means, nil), stat.Quantile(highest, stat.LinInterp, means, nil)}
}

// Gain is a mean over shapes of the mean paired difference, with its standard error.
type Gain struct{ Mean, Err float64 }

// NewGain compares values with others, by shape and query. A shape of a single query has no error.
func NewGain(values, others [][]float64) Gain {
	var g Gain
	variance := 0.0
	n := float64(len(values))
	for i := range values {
		differences := make([]float64, len(values[i]))
		floats.SubTo(differences, values[i], others[i])
		mean, deviation := stat.MeanStdDev(differences, nil)
		g.Mean += mean / n
		if k := float64(len(differences)); k > 1 {
			variance += math.Pow(stat.StdErr(deviation, k), 2)
		}
	}
	g.Err = math.Sqrt(variance) / n
	return g
}
