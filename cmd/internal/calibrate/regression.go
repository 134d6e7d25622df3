package calibrate

import (
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/efoc/efoc/runtime/model"
)

const (
	// variance is that of offsets before anything is seen: how far relations differ.
	variance = 0.2
	// folds is the number of parts of the questions. The answers to each part are judged by what
	// was fitted to the others before the curve is: offsets that were fitted to an answer
	// look better on it than they are.
	folds = 5
	// leastAnswers is the number of answers that a level of the curve is made of at least.
	leastAnswers = 50
)

// observation is a predicted answer.
type observation struct {
	question         int
	evidence, margin float64
	relation         model.RelationID // -1 for none
	true             bool
	weight           float64
	// extra answers count towards weights and offsets, and not towards the curve: their
	// questions are not drawn as those of the benchmark are.
	extra bool
}

// observed is what was seen under some semantics.
type observed struct {
	answers   []observation
	relations int // directed ones
	queries   int
	// known counts answers to questions with a negated atom that follow from the observed graph,
	// right those of them that the full graph confirms.
	known, right int
	// tails are the entities of the questions beyond their best predicted answers.
	tails map[int]tail
}

// weights are a logistic regression: intercept, evidence, margin, and an offset for each directed
// relation and for none.
type weights []float64

const intercept, ofEvidence, ofMargin, firstOffset = 0, 1, 2, 3

// column is that of the offset of an observation's relation.
func (w weights) column(a *observation) int {
	if a.relation < 0 {
		return len(w) - 1
	}
	return firstOffset + int(a.relation)
}

func (w weights) at(a *observation) float64 {
	return w[intercept] + w[ofEvidence]*a.evidence + w[ofMargin]*a.margin + w[w.column(a)]
}

// fit fits weights, offsets and the curve.
func (o *observed) fit() (model.Calibration, error) {
	all := make([]*observation, len(o.answers))
	for i := range all {
		all[i] = &o.answers[i]
	}
	whole, err := o.regress(all, nil)
	if err != nil {
		return model.Calibration{}, err
	}
	var fits [folds]weights
	var group errgroup.Group
	for k := range folds {
		group.Go(func() (err error) {
			others := slices.DeleteFunc(slices.Clone(all), func(a *observation) bool { return a.question%folds == k })
			fits[k], err = o.regress(others, whole)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return model.Calibration{}, err
	}
	var points []point
	heads := map[int]*head{}
	for k, w := range fits {
		for _, a := range all {
			if a.question%folds == k && !a.extra {
				p := point{x: w.at(a) - whole[intercept], weight: 1}
				if a.true {
					p.true = 1
				}
				points = append(points, p)
				if heads[a.question] == nil {
					heads[a.question] = &head{best: a.evidence}
				}
				heads[a.question].add(p, digits(whole[whole.column(a)]))
			}
		}
	}
	c := model.Calibration{
		Evidence: digits(whole[ofEvidence]), Margin: digits(whole[ofMargin]), Unlinked: digits(whole[len(whole)-1]),
		Curve: isotonic(points, leastAnswers), Refutable: 1, Queries: o.queries, Answers: len(points),
	}
	for _, x := range whole[firstOffset : len(whole)-1] {
		c.Offsets = append(c.Offsets, digits(x))
	}
	o.counts(&c, heads)
	if o.known > 0 {
		c.Refutable = digits(float64(o.right) / float64(o.known))
	}
	return c, nil
}

// regress fits weights to answers by penalised likelihood, from where another fit has come to if
// that is not nil. Those of evidence and margin are not negative: one that would be is 0.
func (o *observed) regress(answers []*observation, from weights) (weights, error) {
	w := slices.Clone(from)
	if w == nil {
		w = make(weights, firstOffset+o.relations+1)
		w[ofEvidence], w[ofMargin] = 0.5, 0.5
	}
	fixed := make([]bool, len(w))
	at, gradient, value := make(weights, len(w)), make([]float64, len(w)), math.NaN()
	evaluate := func(x []float64) { // the loss and its gradient are asked for one after the other
		if math.IsNaN(value) || !slices.Equal(at, x) {
			copy(at, x)
			value = loss(at, answers, gradient)
		}
	}
	for {
		problem := optimize.Problem{
			Func: func(x []float64) float64 {
				evaluate(x)
				return value
			},
			Grad: func(grad, x []float64) {
				evaluate(x)
				copy(grad, gradient)
				for i, f := range fixed {
					if f {
						grad[i] = 0
					}
				}
			},
		}
		result, err := optimize.Minimize(problem, w, &optimize.Settings{GradientThreshold: 1e-2, MajorIterations: 500}, &optimize.LBFGS{})
		if result == nil || !(result.F < math.Inf(1)) {
			return nil, err
		}
		w = result.X
		again := false
		for _, i := range []int{ofEvidence, ofMargin} {
			if w[i] < 0 {
				w[i], fixed[i], again = 0, true, true
			}
		}
		if !again {
			return w, nil
		}
	}
}

// loss returns the penalised negative log-likelihood, and sets grad to its gradient.
func loss(w weights, answers []*observation, grad []float64) float64 {
	offsets := w[firstOffset:]
	sum := floats.Dot(offsets, offsets) / (2 * variance)
	clear(grad)
	floats.AddScaled(grad[firstOffset:], 1/variance, offsets)
	for _, a := range answers {
		z := w.at(a)
		e := math.Exp(-math.Abs(z))
		p := 1 / (1 + e)
		if z < 0 {
			p = e / (1 + e)
		}
		l := max(z, 0) + math.Log(1+e)
		if a.true {
			l -= z
			p--
		}
		sum += a.weight * l
		p *= a.weight
		grad[intercept] += p
		grad[ofEvidence] += p * a.evidence
		grad[ofMargin] += p * a.margin
		grad[w.column(a)] += p
	}
	return sum
}
