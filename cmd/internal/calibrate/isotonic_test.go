package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestIsotonic compares levels with the definition of the fit that does not descend: at each
// point it is max_{i ≤ k} min_{j ≥ k} of the mean from i to j.
func TestIsotonic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(30)
		var points []point
		for i := range n {
			points = append(points, point{x: float64(i - 10), hits: float64(rng.IntN(2)), weight: 1})
		}
		mean := func(i, j int) float64 {
			sum := 0.0
			for _, p := range points[i : j+1] {
				sum += p.hits
			}
			return sum / float64(j-i+1)
		}
		want := make([]float64, n)
		for k := range want {
			for i := range k + 1 {
				least := math.Inf(1)
				for j := k; j < n; j++ {
					least = min(least, mean(i, j))
				}
				want[k] = max(want[k], least)
			}
		}
		distinct := 0
		for k, w := range want {
			if k == 0 || math.Abs(w-want[k-1]) > 1e-12 {
				distinct++
			}
		}
		c := isotonic(append([]point(nil), points...), 0)
		if len(c.X) != distinct {
			t.Fatalf("%d levels, want %d", len(c.X), distinct)
		}
		// The curve passes through the middle of each level, in five digits.
		at := 0
		for k := 0; k < n; {
			j := k
			for ; j < n && math.Abs(want[j]-want[k]) <= 1e-12; j++ {
			}
			if x := float64(k+j-1)/2 - 10; math.Abs(c.X[at]-x) > 1e-4*math.Abs(x) || math.Abs(c.Y[at]-want[k]) > 1e-4*want[k] {
				t.Fatalf("level %d is %v at %v, want %v at %v", at, c.Y[at], c.X[at], want[k], x)
			}
			at, k = at+1, j
		}
	}
}

// TestFit plants chances that depend on evidence, margin, relation, a term and the kind of question, which decides what evidence
// and the term weigh, and checks that they are found on answers that had no part in it.
func TestFit(t *testing.T) {
	const relations = 20
	rng := rand.New(rand.NewPCG(3, 4))
	type planted struct{ evidence, known, offset float64 }
	kinds := map[kind]planted{heldOut: {0.7, 0.5, 0}, ordinary: {1.1, 0.2, -2}}
	chance := func(a *observation) float64 {
		offset := 0.5
		if a.relation >= 0 {
			offset = float64(a.relation%5)/2 - 1
		}
		k := kinds[a.kind]
		return 1 / (1 + math.Exp(-(1 + k.evidence*a.evidence + 0.3*a.margin + k.known*a.terms[model.TermKnown] + offset + k.offset)))
	}
	draw := func(questions int) *observed {
		o := &observed{relations: relations}
		known := rand.New(rand.NewPCG(3, 5))
		for range 10 * questions { // known answers, refuted by half of a probability that their degrees lack
			lacking := math.Exp(-5 * known.Float64())
			p := point{x: model.Doubt(1 - lacking), weight: 1}
			if known.Float64() < lacking/2 {
				p.hits = 1
			}
			o.doubts[ordinary] = append(o.doubts[ordinary], p)
		}
		for q := range questions {
			best := -5 * rng.Float64()
			for i := range 10 {
				margin := -rng.ExpFloat64() * float64(min(i, 1))
				a := observation{question: q, evidence: best + margin, margin: margin, relation: graph.RelationID(rng.IntN(relations+1) - 1), kind: kind(q / folds % 2)}
				a.terms[model.TermKnown] = 4 * rng.NormFloat64()
				a.isTrue = rng.Float64() < chance(&a)
				o.answers = append(o.answers, a)
			}
		}
		return o
	}
	c, err := draw(2000).fit()
	require.NoError(t, err)
	for _, lacking := range []float64{0.05, 0.2, 0.5, 0.8} {
		if got := c.Ordinary.Refuted.At(math.Log(lacking)); math.Abs(got-lacking/2) > 0.04 {
			t.Errorf("known answers of degree %v are refuted with chance %v, want %v", 1-lacking, got, lacking/2)
		}
	}
	if len(c.HeldOut.Refuted.X) != 0 {
		t.Errorf("without known answers to questions of held-out facts, they are refuted by %+v", c.HeldOut.Refuted)
	}
	x := c.Ordinary
	k := kinds[ordinary]
	if math.Abs(x.Evidence-k.evidence) > 0.07 || math.Abs(x.Margin-0.3) > 0.07 || math.Abs(x.Terms[model.TermKnown]-k.known) > 0.05 {
		t.Errorf("ordinary questions have weights %v, %v and %v", x.Evidence, x.Margin, x.Terms)
	}
	if x.Answers != 10000 || c.HeldOut.Answers != 10000 {
		t.Errorf("fitted to %d and %d answers", x.Answers, c.HeldOut.Answers)
	}
	off := map[kind]float64{}
	test := draw(2000).answers
	for i := range test {
		a := &test[i]
		x := c.Of(a.kind == heldOut)
		off[a.kind] += math.Abs(x.Curve.At(x.Sum(a.evidence, a.margin, x.Offset(a.relation)+a.terms.Weighed(&x.Terms))) - chance(a))
	}
	for k, most := range map[kind]float64{ordinary: 0.03, heldOut: 0.1} { // held-out questions have weights fitted to all
		if mean := off[k] / float64(len(test)/2); mean > most {
			t.Errorf("chances of kind %d are off by %v on average", k, mean)
		}
	}
}

// TestFitBounds checks that what speaks against an answer gets weight 0, and that the same
// answers give the same numbers. A kind without questions has the claims of the other.
func TestFitBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	o := &observed{relations: 2}
	for q := range 500 {
		evidence, margin := -5*rng.Float64(), -rng.Float64()
		o.answers = append(o.answers, observation{question: q, evidence: evidence, margin: margin, isTrue: rng.Float64() < -margin})
	}
	c, err := o.fit()
	require.NoError(t, err)
	if x := c.HeldOut; x.Margin != 0 || x.Evidence < 0 || c.Ordinary.Evidence != x.Evidence {
		t.Fatalf("evidence %v and %v, margin %v", x.Evidence, c.Ordinary.Evidence, x.Margin)
	}
	again, err := o.fit()
	if err != nil || again.HeldOut.Evidence != c.HeldOut.Evidence || len(again.HeldOut.Curve.X) != len(c.HeldOut.Curve.X) {
		t.Errorf("the second time %+v, the first time %+v, error %v", again, c, err)
	}
}
