package calibrate

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// tail holds the entities of a question beyond its best predicted answers, without the known ones:
// how many there are of an evidence, in ascending order, and how many of those are true.
type tail []point

// step is the width of what counts as one evidence.
const step = 0.1

// newTail returns the tail of a question, given its best predicted answers and the evidence for
// all entities.
func newTail(q *question, best []runtime.Observed, all []float64) tail {
	first := math.Round(floats.Min(all) / step)
	t := make(tail, int(math.Round(floats.Max(all)/step)-first)+1)
	at := func(e int32) *point { return &t[int(math.Round(all[e]/step)-first)] }
	for e := range all {
		at(int32(e)).weight++
	}
	for _, e := range q.easy {
		at(e).weight--
	}
	for _, e := range q.hard {
		at(e).hits++
	}
	for _, x := range best {
		at(int32(x.Entity)).weight--
		if _, right := slices.BinarySearch(q.hard, int32(x.Entity)); right {
			at(int32(x.Entity)).hits--
		}
	}
	for i := range t {
		t[i].x = step * (first + float64(i))
	}
	return slices.Clip(slices.DeleteFunc(t, func(p point) bool { return p.weight == 0 }))
}

// head holds the best predicted answers to a question.
type head struct {
	form   int     // of the question: see scq.Form
	best   float64 // the evidence for the first
	points []point
	links  []float64 // what the link of each adds
	tail   []point
}

func (h *head) add(p point, link float64) {
	h.points = append(h.points, p)
	h.links = append(h.links, link)
}

// interval is the share of validation queries whose number of missing answers the bounds of a count
// include.
const interval = 0.9

// The lower bound is of questions that miss leastExpected answers, if there are leastBounded of those.
const leastExpected, leastBounded = 0.5, 20

// counts fits what counts answers: the curves of tails, and how far the number of missing answers
// is from its sum.
func (o *observed) counts(claims *model.Claims, heads map[int]*head) {
	questions := slices.Sorted(maps.Keys(heads))
	var all, single []point
	for _, number := range questions {
		h := heads[number]
		slices.Sort(h.links)
		link := stat.Quantile(0.5, stat.Empirical, h.links, nil)
		for _, p := range o.tails[number] {
			p.x = claims.Sum(p.x, p.x-h.best, link)
			h.tail = append(h.tail, p)
		}
		all = append(all, h.tail...)
		if h.form == 0 {
			single = append(single, h.tail...)
		}
	}
	if len(all) == 0 {
		return
	}
	if hits(single) < leastAnswers { // too few to tell how often entities are answers
		single = slices.Clone(all)
	}
	claims.Tails = [2]model.Curve{isotonic(single, leastAnswers), isotonic(all, leastAnswers)}
	var whole deviations
	var forms [model.Forms]deviations
	for _, number := range questions {
		h := heads[number]
		var expected, found, variance float64
		add := func(points []point, curve *model.Curve) {
			for _, p := range points {
				y := curve.At(p.x)
				expected += p.weight * y
				found += p.hits
				variance += p.weight * y * (1 - y)
			}
		}
		add(h.points, &claims.Curve)
		add(h.tail, claims.Tail(h.form))
		x := (found - expected) / math.Sqrt(max(variance, 1e-9))
		whole.add(x, expected)
		forms[h.form].add(x, expected)
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

// hits returns how many of the entities are answers.
func hits(points []point) (sum float64) {
	for _, p := range points {
		sum += p.hits
	}
	return sum
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
