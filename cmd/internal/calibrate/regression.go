package calibrate

import (
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/efoc/efoc/runtime/model"
)

const (
	// variance is the prior variance of offsets: how far relations differ. termVariance is the prior variance
	// of the weights of terms, which are logarithms of shares and of numbers.
	variance, termVariance = 0.2, 1
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
	terms            model.LinkTerms
	isTrue           bool
	weight           float64
	kind             kind
}

// kind is the kind of a question.
type kind int

const (
	// heldOut questions are drawn like benchmark questions: each lacks a fact.
	heldOut kind = iota
	// ordinary questions are drawn from all facts.
	ordinary
	// extra questions are drawn neither way: their answers count towards weights and offsets, and not
	// towards a curve.
	extra
)

// observed is what was seen under some semantics.
type observed struct {
	answers   []observation
	relations int // directed ones
	queries   [extra]int
	// known counts answers to questions with a negated atom that follow from the observed graph, right the
	// number of known answers that the full graph confirms.
	known, right int
	// tails are the entities of the questions beyond their best predicted answers.
	tails map[int]tail
}

// usualTerms are the weights of terms before anything is seen. Few questions show what a loop is worth, and the
// graph says it: a link is a loop as often as the relation's facts are.
var usualTerms = model.LinkTerms{model.TermLoop: 1}

// weights are a logistic regression: an intercept for ordinary questions and one for all others,
// evidence, margin, terms, and an offset for each directed relation and for none.
type weights []float64

const (
	intercept = iota
	ofOrdinary
	ofEvidence
	ofMargin
	firstTerm
	firstOffset = firstTerm + model.NumLinkTerms
)

// column is the column of the offset of an observation's relation.
func (w weights) column(a *observation) int {
	if a.relation < 0 {
		return len(w) - 1
	}
	return firstOffset + int(a.relation)
}

// intercept is the column of the intercept of an observation's question.
func (a *observation) intercept() int {
	if a.kind == ordinary {
		return ofOrdinary
	}
	return intercept
}

// link is what the link of an observation adds.
func (w weights) link(a *observation) float64 {
	return a.terms.Weighed((*model.LinkTerms)(w[firstTerm:firstOffset])) + w[w.column(a)]
}

// sum is what evidence and link add up to.
func (w weights) sum(a *observation) float64 {
	return w[ofEvidence]*a.evidence + w[ofMargin]*a.margin + w.link(a)
}

func (w weights) at(a *observation) float64 { return w[a.intercept()] + w.sum(a) }

// fit fits weights, offsets and the curves.
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
	c := model.Calibration{
		Evidence: digits(whole[ofEvidence]), Margin: digits(whole[ofMargin]), Unlinked: digits(whole[len(whole)-1]), Refutable: 1,
	}
	for i := range c.Terms {
		c.Terms[i] = digits(whole[firstTerm+i])
	}
	for _, x := range whole[firstOffset : len(whole)-1] {
		c.Offsets = append(c.Offsets, digits(x))
	}
	if o.known > 0 {
		c.Refutable = digits(float64(o.right) / float64(o.known))
	}
	o.claims(&c, ordinary, all, whole, &fits)
	o.claims(&c, heldOut, all, whole, &fits)
	if len(c.Ordinary.Curve.X) == 0 {
		c.Ordinary = c.HeldOut
	}
	if len(c.HeldOut.Curve.X) == 0 {
		c.HeldOut = c.Ordinary
	}
	return c, nil
}

// claims fits the curves of a kind of question: every answer is judged by what was fitted to the questions of
// other folds.
func (o *observed) claims(c *model.Calibration, of kind, all []*observation, whole weights, fits *[folds]weights) {
	var points []point
	heads := map[int]*head{}
	for _, a := range all {
		if a.kind != of {
			continue
		}
		w := fits[a.question%folds]
		// Folds differ in what all their sums have in common.
		p := point{x: w.at(a) - whole[a.intercept()], weight: 1}
		if a.isTrue {
			p.hits = 1
		}
		points = append(points, p)
		if heads[a.question] == nil {
			heads[a.question] = &head{best: a.evidence}
		}
		heads[a.question].add(p, whole.link(a))
	}
	if len(points) < leastAll {
		return
	}
	x := c.Of(of == heldOut)
	*x = model.Claims{Curve: isotonic(points, leastAnswers), Queries: o.queries[of], Answers: len(points)}
	o.counts(c, x, heads)
}

// regress fits weights to answers by penalised likelihood, from where another fit has come to if
// that is not nil. Those of evidence and margin are not negative: one that would be is 0. Newton's
// method takes some steps where one that sees gradients alone takes hundreds: evidence, terms and
// offsets have very different scales.
func (o *observed) regress(answers []*observation, from weights) (weights, error) {
	w := slices.Clone(from)
	if w == nil {
		w = make(weights, firstOffset+o.relations+1)
		w[ofEvidence] = 0.5
		w[ofMargin] = 0.5
		copy(w[firstTerm:], usualTerms[:])
	}
	fixed := make([]bool, len(w))
	at := make(weights, len(w))
	gradient := make([]float64, len(w))
	value := math.NaN()
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
			Hess: func(hess *mat.SymDense, x []float64) { curvature(hess, x, answers, fixed) },
		}
		result, err := optimize.Minimize(problem, w, &optimize.Settings{GradientThreshold: 1e-2, MajorIterations: 500}, &optimize.Newton{})
		if result == nil || !(result.F < math.Inf(1)) {
			return nil, err
		}
		w = result.X
		again := false
		for _, i := range []int{ofEvidence, ofMargin} {
			if w[i] < 0 {
				w[i] = 0
				fixed[i] = true
				again = true
			}
		}
		if !again {
			return w, nil
		}
	}
}

// loss returns the penalised negative log-likelihood, and sets grad to its gradient.
func loss(w weights, answers []*observation, grad []float64) float64 {
	terms := w[firstTerm:firstOffset]
	offsets := w[firstOffset:]
	sum := floats.Dot(offsets, offsets) / (2 * variance)
	clear(grad)
	for i, usual := range usualTerms {
		off := terms[i] - usual
		sum += off * off / (2 * termVariance)
		grad[firstTerm+i] = off / termVariance
	}
	floats.AddScaled(grad[firstOffset:], 1/variance, offsets)
	for _, a := range answers {
		z := w.at(a)
		e := math.Exp(-math.Abs(z))
		p := 1 / (1 + e)
		if z < 0 {
			p = e / (1 + e)
		}
		l := max(z, 0) + math.Log(1+e)
		if a.isTrue {
			l -= z
			p--
		}
		sum += a.weight * l
		p *= a.weight
		grad[a.intercept()] += p
		grad[ofEvidence] += p * a.evidence
		grad[ofMargin] += p * a.margin
		floats.AddScaled(grad[firstTerm:firstOffset], p, a.terms[:])
		grad[w.column(a)] += p
	}
	return sum
}

// curvature sets hess to the second derivatives of the loss; those by fixed weights are 0 but for the
// diagonal.
func curvature(hess *mat.SymDense, w weights, answers []*observation, fixed []bool) {
	hess.Zero()
	for i := firstTerm; i < len(w); i++ {
		hess.SetSym(i, i, 1/variance)
		if i < firstOffset {
			hess.SetSym(i, i, 1/termVariance)
		}
	}

	// The columns that an observation is in ascend, as the upper triangle wants them.
	var columns [firstOffset - firstTerm + 4]int
	var values [len(columns)]float64
	columns[1] = ofEvidence
	columns[2] = ofMargin
	for i := firstTerm; i < firstOffset; i++ {
		columns[i-firstTerm+3] = i
	}
	values[0] = 1
	values[len(values)-1] = 1
	raw := hess.RawSymmetric()
	for _, a := range answers {
		e := math.Exp(-math.Abs(w.at(a)))
		by := a.weight * e / ((1 + e) * (1 + e))
		columns[0] = a.intercept()
		columns[len(columns)-1] = w.column(a)
		values[1] = a.evidence
		values[2] = a.margin
		copy(values[3:], a.terms[:])
		for i, x := range values {
			if x == 0 {
				continue
			}
			row := raw.Data[columns[i]*raw.Stride:]
			for j := i; j < len(values); j++ {
				row[columns[j]] += by * x * values[j]
			}
		}
	}

	for i, f := range fixed {
		if !f {
			continue
		}
		for j := range w {
			hess.SetSym(i, j, 0)
		}
		hess.SetSym(i, i, 1)
	}
}
