package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/efoc/efoc/runtime/model"
)

const (
	// variance is the prior variance of offsets: how far relations differ. termVariance is the prior variance
	// of the weights of terms, which are logarithms of shares and of numbers. kindVariance is the prior
	// variance of all these between ordinary questions and all.
	variance, termVariance, kindVariance = 0.2, 1, 0.05
	// anyVariance is the prior variance of weights that may have any value.
	anyVariance = 1e4
)

// prior is a normal distribution of weights.
type prior struct {
	mean     weights
	variance []float64
}

// usual is the prior of weights before anything is seen. Few questions show what a loop is worth, and the
// graph says it: a link is a loop as often as the relation's facts are.
func (o *observed) usual() prior {
	p := prior{make(weights, firstOffset+o.relations+1), make([]float64, firstOffset+o.relations+1)}
	p.mean[ofEvidence] = 0.5
	p.mean[ofMargin] = 0.5
	p.mean[firstTerm+model.TermLoop] = 1
	for i := range p.variance {
		switch {
		case i < firstTerm:
			p.variance[i] = anyVariance
		case i < firstOffset:
			p.variance[i] = termVariance
		default:
			p.variance[i] = variance
		}
	}
	return p
}

// near is the prior of the weights for ordinary questions, given the weights for all.
func near(w weights) prior {
	p := prior{w, make([]float64, len(w))}
	for i := range p.variance {
		p.variance[i] = kindVariance
	}
	p.variance[intercept] = anyVariance
	p.variance[ofOrdinary] = anyVariance
	return p
}

// regress fits weights to answers by penalised likelihood, beginning with the weights from, or with the prior's if
// that is nil. Those of evidence and margin are not negative: one that would be is 0. Newton's
// method takes some steps where one that sees gradients alone takes hundreds: evidence, terms and
// offsets have very different scales.
func regress(answers []*observation, p prior, from weights) (weights, error) {
	w := p.mean
	if from != nil {
		w = from
	}
	w = slices.Clone(w)
	fixed := make([]bool, len(w))
	at := make(weights, len(w))
	gradient := make([]float64, len(w))
	value := math.NaN()
	evaluate := func(x []float64) { // the loss and its gradient are asked for one after the other
		if math.IsNaN(value) || !slices.Equal(at, x) {
			copy(at, x)
			value = p.loss(at, answers, gradient)
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
			Hess: func(hess *mat.SymDense, x []float64) { p.curvature(hess, x, answers, fixed) },
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
func (of prior) loss(w weights, answers []*observation, grad []float64) float64 {
	sum := 0.0
	for i, x := range w {
		off := x - of.mean[i]
		sum += off * off / (2 * of.variance[i])
		grad[i] = off / of.variance[i]
	}
	for _, a := range answers {
		z := w.at(a)
		e := math.Exp(-math.Abs(z))
		p := 1 / (1 + e)
		if z < 0 {
			p = e / (1 + e)
		}
		sum += max(z, 0) + math.Log(1+e)
		if a.isTrue {
			sum -= z
			p--
		}
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
func (of prior) curvature(hess *mat.SymDense, w weights, answers []*observation, fixed []bool) {
	hess.Zero()
	for i, v := range of.variance {
		hess.SetSym(i, i, 1/v)
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
		by := e / ((1 + e) * (1 + e))
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
