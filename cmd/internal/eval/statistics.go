package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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

// Gain is a mean over shapes of the mean paired difference, with its standard error and its degrees of freedom, by
// Welch and Satterthwaite.
type Gain struct{ Mean, Err, Freedom float64 }

// NewGain compares values with others, by shape and query. A shape of a single query has no error.
func NewGain(values, others [][]float64) Gain {
	var g Gain
	variance := 0.0
	squares := 0.0
	n := float64(len(values))
	for i := range values {
		differences := make([]float64, len(values[i]))
		floats.SubTo(differences, values[i], others[i])
		mean, deviation := stat.MeanStdDev(differences, nil)
		g.Mean += mean / n
		if k := float64(len(differences)); k > 1 {
			v := math.Pow(stat.StdErr(deviation, k), 2)
			variance += v
			squares = squares + v*v/(k-1)
		}
	}
	g.Err = math.Sqrt(variance) / n
	if squares > 0 {
		g.Freedom = variance * variance / squares
	}
	return g
}

// P returns the two-sided p-value of the paired t test: the probability of a mean difference as large if there were
// none.
func (g Gain) P() float64 {
	switch {
	case g.Err > 0:
		return 2 * distuv.StudentsT{Sigma: 1, Nu: g.Freedom}.Survival(math.Abs(g.Mean/g.Err))
	case g.Mean == 0:
		return 1
	}
	return 0
}
