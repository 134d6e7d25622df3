package calibrate

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/runtime/model"
)

// answers are those to a question.
type answers struct {
	form   int // of the question: see scq.Form
	points []point
}

// interval is the share of validation queries whose number of missing answers the bounds of a count
// include.
const interval = 0.9

// The lower bound is of questions that miss leastExpected answers, if there are leastBounded of those.
const leastExpected, leastBounded = 0.5, 20

// counts fits how far the numbers of missing answers to questions are from the sums of the curve.
func counts(claims *model.Claims, asked map[int]*answers) {
	var whole deviations
	var forms [model.Forms]deviations
	for _, number := range slices.Sorted(maps.Keys(asked)) {
		var expected, found, variance float64
		for _, p := range asked[number].points {
			y := claims.Curves[asked[number].form].At(p.x)
			expected += p.weight * y
			found += p.hits
			variance += p.weight * y * (1 - y)
		}
		x := (found - expected) / math.Sqrt(max(variance, 1e-9))
		whole.add(x, expected)
		forms[asked[number].form].add(x, expected)
	}
	// Few questions of a form may have narrow bounds by chance, so they do not narrow the bounds of all.
	low, high := whole.bounds()
	for i := range forms {
		claims.Low[i] = low
		claims.High[i] = high
		if d := &forms[i]; len(d.all) >= leastBounded {
			least, most := d.bounds()
			claims.Low[i] = min(low, least)
			claims.High[i] = max(high, most)
		}
	}
}

// deviations are how far numbers of missing answers are from the expected ones, in standard deviations.
type deviations struct {
	all  []float64
	some []float64 // of questions that miss leastExpected answers
}

func (d *deviations) add(x, expected float64) {
	d.all = append(d.all, x)
	if expected >= leastExpected {
		d.some = append(d.some, x)
	}
}

// bounds returns what the interval lies between. A question from which hardly any answer is missing says nothing about
// lower bounds.
func (d *deviations) bounds() (low, high float64) {
	some := d.some
	if len(some) < leastBounded {
		some = d.all
	}
	slices.Sort(some)
	low = digits(stat.Quantile((1-interval)/2, stat.Empirical, some, nil))
	slices.Sort(d.all)
	high = digits(stat.Quantile((1+interval)/2, stat.Empirical, d.all, nil))
	return low, max(low, high)
}
