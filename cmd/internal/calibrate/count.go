package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/runtime/model"
)

// interval is the share of validation queries whose number of missing answers the bounds of a count include. It is more than
// the nine of ten other queries that they promise, since the curves are fitted to the same ones.
const interval = 0.94

// The lower bound is of questions that miss leastExpected answers, if there are leastBounded of those. A form of questions
// narrows the bounds of all if it has leastNarrow such questions.
const leastExpected, leastBounded, leastNarrow = 0.5, 20, 100

// counted is a question with the expected number of its missing answers and the variance.
type counted struct {
	form               int // see scq.Form
	expected, variance float64
}

// bounds fits how far the number of missing answers to a kind of questions is from its sum.
func (o *observed) bounds(c *model.Calibration, of kind) {
	questions := map[int]*counted{}
	for _, list := range [][]observation{o.answers, o.behind} {
		for i := range list {
			a := &list[i]
			if a.kind != of {
				continue
			}
			x := questions[a.question]
			if x == nil {
				x = &counted{form: a.form}
				questions[a.question] = x
			}
			p := likely(c, a) * model.Behind(a.place, a.known, c.Ordinary.PerKnown)
			x.expected += a.stands * p
			x.variance += a.stands * p * (1 - p)
		}
	}
	if len(questions) == 0 {
		return
	}
	var whole deviations
	var forms [model.Forms]deviations
	for number, q := range questions {
		x := (o.hard[number] - q.expected) / math.Sqrt(max(q.variance, 1e-9))
		whole.add(x, q.expected)
		forms[q.form].add(x, q.expected)
	}
	// Few questions of a form may have narrow bounds by chance.
	claims := c.Of(of == heldOut)
	low, high := whole.bounds()
	for i := range forms {
		claims.Low[i] = low
		claims.High[i] = high
		d := &forms[i]
		least, most := low, high
		if len(d.all) >= leastBounded {
			least, most = d.bounds()
		}
		if len(d.some) < leastNarrow {
			least = min(low, least)
			most = max(high, most)
		}
		claims.Low[i] = least
		claims.High[i] = most
	}
}

// likely returns the chance that validation facts confirm an answer.
func likely(c *model.Calibration, a *observation) float64 {
	lacks := a.ends[0] != linked
	switch {
	case lacks && a.kind == heldOut:
		return confirmed(&c.Lacking, a)
	case lacks:
		return ofHead(c, a, c.Lacking.Applies)
	case a.ends[1] != linked && a.kind == ordinary:
		return ofTail(c, a, c.Ordinary.Applies)
	}
	return confirmed(c.Of(a.kind == heldOut), a)
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
