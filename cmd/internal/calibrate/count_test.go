package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/seed"
)

// TestBounds fits bounds of counts to questions whose answers are true by a chance that depends on the evidence. Half of the
// answers are behind the best, each of which stands for many. The answers to questions of a single atom are independent, and
// those to questions of several come in fours, of which all are true or none: their bounds are twice as far off. Forms
// without questions have the bounds of all.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	curve := model.Curve{X: []float64{-4, -1, 0}, Y: []float64{0.002, 0.1, 0.8}}
	o := &observed{hard: map[int]float64{}}
	for i := range 2000 {
		form := i % 2
		together := 1 + 3*form
		for k, u := range curve.X {
			behind := k % 2
			a := observation{question: i, kind: ordinary, form: form, relation: -1, evidence: u, stands: 2400, place: model.Judged * (1 + behind)}
			if behind == 1 {
				o.behind = append(o.behind, a)
			} else {
				o.answers = append(o.answers, a)
			}
			for range 2400 / together {
				if rng.Float64() < curve.Y[k]/float64(1+behind) {
					o.hard[i] += float64(together)
				}
			}
		}
	}
	c := model.Calibration{Ordinary: model.Claims{Evidence: 1, Curve: curve}}
	o.bounds(&c, ordinary)
	low := c.Ordinary.Low
	high := c.Ordinary.High
	for form, want := range []float64{1.88, 3.76} {
		if math.Abs(low[form]+want) > 0.1*want || math.Abs(high[form]-want) > 0.1*want {
			t.Errorf("the bounds are %v and %v standard deviations, want ±%v for form %d", low, high, want, form)
		}
	}
	if !(low[2] > -3.5 && low[2] < -2.1 && high[2] < 3.5 && high[2] > 2.1) {
		t.Errorf("the bounds are %v and %v standard deviations, want those of all for form 2", low, high)
	}
}

// TestPerKnown draws answers behind the best, whose chance falls with the number of those before them, from some place on that
// depends on the number of known answers. What is fitted is how, and as many answers are expected as are true.
func TestPerKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 4))
	curve := model.Curve{X: []float64{-4, 0}, Y: []float64{0.05, 0.6}}
	for _, perKnown := range []float64{0.05, 0.5, 5} {
		o := &observed{}
		found := 0.0
		for i := range 1000 {
			known := rng.IntN(40)
			for n := model.Judged; n < 400; n += 10 {
				a := observation{question: i, kind: ordinary, relation: -1, evidence: -4 * rng.Float64(), stands: 1 + rng.Float64(), place: known + 1 + n, known: known}
				a.isTrue = rng.Float64() < curve.At(a.evidence)*min(1, (10+perKnown*float64(known))/float64(1+n))
				if a.isTrue {
					found += a.stands
				}
				o.behind = append(o.behind, a)
			}
		}
		c := model.Calibration{Ordinary: model.Claims{Evidence: 1, Curve: curve}}
		o.apply(&c)
		expected := 0.0
		for _, a := range o.behind {
			expected += a.stands * c.Ordinary.Curve.At(a.evidence) * model.Behind(a.place, a.known, c.Ordinary.PerKnown)
		}
		if math.Abs(c.Ordinary.PerKnown-perKnown) > 0.1+0.2*perKnown || math.Abs(expected/found-1) > 0.02 {
			t.Errorf("%v places for each known answer, want %v; %v answers are expected, %v are true", c.Ordinary.PerKnown, perKnown, expected, found)
		}
	}
}
