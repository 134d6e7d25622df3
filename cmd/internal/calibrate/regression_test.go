package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// drawn returns observations whose truth is drawn by known weights.
func drawn(rng *rand.Rand, relations, count int) (*observed, []*observation) {
	o := &observed{relations: relations}
	for i := range count {
		a := observation{
			question: i, evidence: 3 * rng.NormFloat64(), margin: -rng.ExpFloat64(), relation: graph.RelationID(rng.IntN(relations+1) - 1),
			kind: kind(rng.IntN(3)),
		}
		for k := range a.terms {
			a.terms[k] = rng.NormFloat64()
		}
		z := 0.8*a.evidence + 0.3*a.margin + 0.5*a.terms[0] + float64(a.relation%3)/4 - 1
		a.isTrue = rng.Float64() < 1/(1+math.Exp(-z))
		o.answers = append(o.answers, a)
	}
	all := make([]*observation, count)
	for i := range all {
		all[i] = &o.answers[i]
	}
	return o, all
}

// TestCurvature compares second derivatives of the loss with differences of its gradient.
func TestCurvature(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	o, all := drawn(rng, 6, 200)
	p := near(o.usual().mean)
	w := make(weights, firstOffset+7)
	for i := range w {
		w[i] = rng.NormFloat64() / 4
	}
	fixed := make([]bool, len(w))
	fixed[ofMargin] = true
	hess := mat.NewSymDense(len(w), nil)
	p.curvature(hess, w, all, fixed)
	const step = 1e-5
	above, below := make([]float64, len(w)), make([]float64, len(w))
	for i, own := range w {
		w[i] = own + step
		p.loss(w, all, above)
		w[i] = own - step
		p.loss(w, all, below)
		w[i] = own
		for j := range w {
			want := (above[j] - below[j]) / (2 * step)
			switch {
			case i == ofMargin && j == ofMargin:
				want = 1
			case i == ofMargin || j == ofMargin:
				want = 0
			}
			if got := hess.At(i, j); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("the derivative by %d and %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// TestRegress checks that the loss is least at the weights that are fitted, and that a weight that would
// be negative is 0.
func TestRegress(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	o, all := drawn(rng, 6, 3000)
	for _, against := range []bool{false, true} {
		for _, a := range all {
			if against {
				a.margin = -a.margin
			}
		}
		p := o.usual()
		w, err := regress(all, p, nil)
		require.NoError(t, err)
		gradient := make([]float64, len(w))
		least := p.loss(w, all, gradient)
		if zero := w[ofMargin] == 0; zero != against {
			t.Errorf("the weight of margins is %v", w[ofMargin])
		}
		for i := range w {
			for _, step := range []float64{-1e-2, 1e-2} {
				if w[i] == 0 && step < 0 {
					continue
				}
				w[i] += step
				if other := p.loss(w, all, gradient); other < least {
					t.Errorf("the loss is %v at the fit, and %v with weight %d off by %v", least, other, i, step)
				}
				w[i] -= step
			}
		}
	}
}
