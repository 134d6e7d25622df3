package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// drawCurve draws a curve that is valid.
func drawCurve(t *rapid.T, label string) Curve {
	var c Curve
	x, y := rapid.Float64Range(-20, 20).Draw(t, "first"), 0.0
	for range rapid.IntRange(1, 8).Draw(t, label) {
		x += rapid.Float64Range(1e-9, 2).Draw(t, "x")
		y = min(1, y+rapid.Float64Range(0, 0.3).Draw(t, "y"))
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
	return c
}

// TestCurve checks that a curve passes through its points, never descends, and stays
// between its neighbours.
func TestCurve(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		c := drawCurve(t, "points")
		require.NoError(t, c.validate())
		for i, x := range c.X {
			if got := c.At(x); got != c.Y[i] {
				t.Fatalf("at point %d it is %v, want %v", i, got, c.Y[i])
			}
		}
		a, b := rapid.Float64Range(-30, 30).Draw(t, "a"), rapid.Float64Range(-30, 30).Draw(t, "b")
		low, high := c.At(min(a, b)), c.At(max(a, b))
		if !(0 <= low && low <= high && high <= 1) {
			t.Fatalf("it is %v at %v and %v at %v", low, min(a, b), high, max(a, b))
		}
	})
	c := Curve{X: []float64{-2, 4}, Y: []float64{0.2, 0.6}}
	if got := c.At(1); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("halfway it is %v, want 0.4", got)
	}
}

// TestClaimsSum checks that evidence, margin and link add up by their weights, and that a link's
// terms do.
func TestClaimsSum(t *testing.T) {
	c := Claims{Applies: 1, Evidence: 2, Margin: 3, Offsets: []float64{-1, 0.25}, Unlinked: 0.5, Terms: LinkTerms{TermKnown: 2, TermLoop: 0.5}}
	if c.Offset(0) != -1 || c.Offset(1) != 0.25 || c.Offset(-1) != 0.5 {
		t.Errorf("offsets %v, %v and %v", c.Offset(0), c.Offset(1), c.Offset(-1))
	}
	x := LinkTerms{TermValues: 7, TermKnown: 1, TermLoop: -8}
	if got := x.Weighed(&c.Terms); got != -2 {
		t.Errorf("the terms add %v, want -2", got)
	}
	// 2·0.5 + 3·(−0.25) + 0.25 − 2
	if got := c.Sum(0.5, -0.25, c.Offset(1)-2); math.Abs(got+1.5) > 1e-12 {
		t.Errorf("the sum is %v, want -1.5", got)
	}
}

// TestMissing checks that halving a small share of missing facts halves the odds.
func TestMissing(t *testing.T) {
	if got := (Missing{HeldOut: 0.2, Assumed: 0.1}).Odds(0.1); math.Abs(got-4.0/9) > 1e-12 {
		t.Errorf("the odds change by %v, want 4/9", got)
	}
	if got := (Missing{HeldOut: 0.2, Assumed: 0.1}).Odds(0.2); got != 1 {
		t.Errorf("with the share that was held out the odds change by %v", got)
	}
	if got := (Missing{HeldOut: 0.2, Assumed: 0.1}).Odds(1. / 3); math.Abs(got-2) > 1e-12 {
		t.Errorf("with a third held out the odds change by %v, want 2", got)
	}
	if got := (Missing{}).Odds(0); got != 1 {
		t.Errorf("without a share the odds change by %v", got)
	}
	if got := Shifted(0.5, 0.25); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("even odds become %v, want 0.2", got)
	}
	if Shifted(1, 0.1) != 1 || Shifted(0, 9) != 0 {
		t.Error("what is certain changes")
	}
}

// TestAmongMissing draws links that are true with some chance. True ones are validation facts with another chance, and
// otherwise missing, so that calibration takes them for false. Of the links that are no validation facts, the share of
// true ones is the probability that follows from the share of validation facts. It ascends, and is linear in the odds.
func TestAmongMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 1 << 20
	for _, isTrue := range []float64{0.02, 0.3, 0.9} {
		for _, held := range []float64{0.3, 0.5, 0.7} {
			confirmed := 0.0
			others := 0.0
			for range n {
				switch {
				case rng.Float64() >= isTrue:
				case rng.Float64() < held:
					confirmed++
				default:
					others++
				}
			}
			want := others / (n - confirmed)
			if got := AmongMissing(confirmed/n, (1-held)/held); math.Abs(got-want) > 0.01 {
				t.Errorf("%v of the links are true, and %v of those held out: the probability is %v, want %v", isTrue, held, got, want)
			}
		}
	}
	before := 0.0
	for i := range 1001 {
		c := float64(i) / 1000
		got := AmongMissing(c, 1)
		twice := AmongMissing(c, 2)
		if got < before || got < min(c, MostChance) || twice > MostChance || twice < MostChance && math.Abs(twice-2*got) > 1e-12 || AmongMissing(c, 0) != 0 {
			t.Fatalf("what is confirmed with chance %v has chance %v, %v by twice the odds, before it was %v", c, got, twice, before)
		}
		before = got
	}
}

func TestConfidenceErrors(t *testing.T) {
	claims := Claims{Applies: 1, Evidence: 1, Margin: 1, Offsets: []float64{0, 1, 2, -3}, Curve: Curve{X: []float64{-0.1, 0.5}, Y: []float64{0.2, 0.7}}}
	good := Calibration{Ordinary: claims, HeldOut: claims, Lacking: claims}
	with := func(change func(c *Calibration)) Confidence {
		c := good
		change(&c)
		return Confidence{"nsmp": &c}
	}
	curve := func(x, y []float64) Confidence { return with(func(c *Calibration) { c.Ordinary.Curve = Curve{x, y} }) }
	long := make([]float64, maxPoints+1)
	for i := range long {
		long[i] = float64(i)
	}
	for _, c := range []struct {
		confidence Confidence
		want       string
	}{
		{with(func(*Calibration) {}), ""},
		{Confidence{"magic": &good}, `"magic" is no semantics`},
		{Confidence{"": &good}, "is no semantics"},
		{Confidence{"nsmp": nil}, "nsmp: it is null"},
		{curve(nil, nil), "curve: it has no points"},
		{curve(long, long), "257 x and 257 y"},
		{curve([]float64{1}, nil), "1 x and 0 y"},
		{curve([]float64{2, 2}, []float64{0.5, 0.6}), "x 1 is 2"},
		{curve([]float64{math.Inf(1)}, []float64{0.5}), "x 0 is +Inf"},
		{curve([]float64{math.NaN()}, []float64{0.5}), "x 0 is NaN"},
		{curve([]float64{1, 2}, []float64{0.5, 0.4}), "y 1 is 0.4"},
		{curve([]float64{1}, []float64{1.1}), "y 0 is 1.1"},
		{curve([]float64{1}, []float64{-0.1}), "y 0 is -0.1"},
		{curve([]float64{1}, []float64{math.NaN()}), "y 0 is NaN"},
		{with(func(c *Calibration) { c.Ordinary.Evidence = -1 }), "evidence is -1"},
		{with(func(c *Calibration) { c.Ordinary.Margin = math.NaN() }), "margin is NaN"},
		{with(func(c *Calibration) { c.Ordinary.Offsets = c.Ordinary.Offsets[1:] }), "there are 3 offsets, want one for each of 4"},
		{with(func(c *Calibration) { c.Ordinary.Offsets = []float64{0, 0, math.Inf(1), 0} }), "offset of directed relation 2 is +Inf"},
		{with(func(c *Calibration) { c.Ordinary.Unlinked = math.NaN() }), "offset without a relation is NaN"},
		{with(func(c *Calibration) { c.Ordinary.Refuted = Curve{X: []float64{0}, Y: []float64{1.5}} }), "ordinary questions: refuted: y 0 is 1.5"},
		{with(func(c *Calibration) { c.Ordinary.Applies = math.Inf(1) }), "applies is +Inf"},
		{with(func(c *Calibration) { c.Ordinary.PerKnown = -1 }), "per_known is -1"},
		{with(func(c *Calibration) { c.Lacking.Unlinked = math.NaN() }), "heads without facts: the offset"},
		{with(func(c *Calibration) { c.Lacking = Claims{} }), "heads without facts: there are 0 offsets"},
		{with(func(c *Calibration) { c.HeldOut.Answers = -1 }), "held-out facts: they were fitted to -1 answers"},
		{with(func(c *Calibration) { c.Ordinary.Terms[2] = math.NaN() }), "the weight of term 2 is NaN"},
	} {
		err := c.confidence.validate(4)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestShifted checks probabilities by their odds: they ascend with the probability and the factor, also where odds are 0 or
// infinite.
func TestShifted(t *testing.T) {
	factors := []float64{0, 0.01, 1, 7}
	for i, factor := range factors {
		before := 0.0
		for _, chance := range []float64{0, 1e-9, 0.3, 0.5, 1 - 1e-9, 1} {
			got := Shifted(chance, factor)
			want := chance / (1 - chance) * factor
			if chance == 1 && factor > 0 {
				want = math.Inf(1)
			}
			if factor == 0 {
				want = 0
			}
			if odds := got / (1 - got); !(got >= before && got <= 1) || odds != want && math.Abs(odds/want-1) > 1e-6 {
				t.Errorf("odds times %v make %v of %v", factor, got, chance)
			}
			if i > 0 && got < Shifted(chance, factors[i-1]) {
				t.Errorf("odds times %v make less of %v than times %v", factor, chance, factors[i-1])
			}
			before = got
		}
	}
}
