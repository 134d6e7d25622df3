// Package expected says what a plan must compute, by package reference, and how far an implementation in
// float32 may be off: the one tolerance of all tests that compare engines with the reference.
package expected

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// How far two float32 implementations may lie apart, for an answer of probability p:
//
//	1e-4·p where p ≥ 1e-8, 1e-9 below, as the semantics states; and
//	4 times what rounding does to the reference, where the problem is badly conditioned.
//
// The second is measured, for each entity of each case: the reference is computed again
// a few times with every result off by up to 16 units of rounding, in Monte Carlo
// arithmetic (reference.RunRounded). 4 times 16 units is the bound on the error of the
// longest chain of additions in a kernel, the group of 64 rows of a weighted sum. So a
// score of 500 may be off by 500·2^-18, and its exponential by as much, relatively;
// 1 − x may be off by 2^-20 however little is left of it; and
// where such errors, a threshold or a choice of the best entities make an answer
// uncertain, the runs show it. Two runs may understate it: before a difference counts
// as a disagreement, the reference is computed another 40 times, and once each with all errors
// upwards and all downwards. A kernel rounds equal numbers alike, so ten equal products that lie on
// a threshold all pass it or all fail, which independent errors almost never make them do. Rarer still are
// numbers that only several errors together lift over a threshold: a difference that persists is tried in
// up to 2,000 more runs.
//
// Where the table has codes, those runs move scores and sums by the stated bound of
// the codes too.
const (
	relative  = 1e-4
	least     = 1e-8
	absolute  = 1e-9
	condition = 4

	draws     = 2
	moreDraws = 40
	mostDraws = 2000
)

// Result is what a plan must compute, and how far an implementation of it may be off.
type Result struct {
	// Want are the answer and then the fuzzy sets, in order, length n each.
	Want [][]float32

	plan     *ir.Plan
	settings model.Settings
	bindings scq.Bindings
	rng      *rand.Rand
	moved    [][]float32 // how far rounding moved each number at most
	refined  bool
	drawn    int // beyond that
}

// Of runs a plan, as reference.Run does. The seed determines the roundings.
func Of(ctx context.Context, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings, seed uint64) (*Result, error) {
	x := &Result{plan: p, settings: s, bindings: b, rng: rand.New(rand.NewPCG(seed, 3))}
	r, err := reference.Run(ctx, p, m, s, b)
	if err != nil {
		return nil, err
	}
	x.Want = append([][]float32{r.Answer}, r.Sets...)
	for _, w := range x.Want {
		x.moved = append(x.moved, make([]float32, len(w)))
	}
	return x, x.draw(ctx, m, draws)
}

// draw computes the reference some more times in Monte Carlo arithmetic.
func (x *Result) draw(ctx context.Context, m *model.Model, times int) error {
	return x.drawFrom(ctx, m, slices.Repeat([]func() float64{func() float64 { return 2*x.rng.Float64() - 1 }}, times)...)
}

// drawFrom computes the reference again with each of some sources of noise.
func (x *Result) drawFrom(ctx context.Context, m *model.Model, noises ...func() float64) error {
	for _, noise := range noises {
		r, err := reference.RunRounded(ctx, x.plan, m, x.settings, x.bindings, noise)
		if err != nil {
			return err
		}
		for i, v := range append([][]float32{r.Answer}, r.Sets...) {
			for e, got := range v {
				x.moved[i][e] = max(x.moved[i][e], float32(math.Abs(float64(got)-float64(x.Want[i][e]))))
			}
		}
	}
	return nil
}

// Tolerance is how far number e of vector i may be off.
func (x *Result) Tolerance(i, e int) float64 {
	t := condition * float64(x.moved[i][e])
	if w := math.Abs(float64(x.Want[i][e])); w >= least {
		return t + relative*w
	}
	return t + absolute
}

// Sharp reports whether the answer is known well enough for a comparison to say much:
// to a part in a hundred wherever it matters.
func (x *Result) Sharp() bool {
	for e, w := range x.Want[0] {
		if w >= least && condition*x.moved[0][e] > w/100 {
			return false
		}
	}
	return true
}

// Compare returns how an answer and the fuzzy sets differ from the expected ones, "" if they do not. The
// model is the one given to Of. The error comes from the reference.
func (x *Result) Compare(ctx context.Context, m *model.Model, got [][]float32) (string, error) {
	if what := x.differs(got); what == "" {
		return "", nil
	}
	if err := x.Refine(ctx, m); err != nil {
		return "", err
	}
	for x.drawn < mostDraws && x.differs(got) != "" {
		x.drawn += moreDraws
		if err := x.draw(ctx, m, moreDraws); err != nil {
			return "", err
		}
	}
	return x.differs(got), nil
}

// Refine measures once how far rounding moves the numbers at most, in many runs.
func (x *Result) Refine(ctx context.Context, m *model.Model) error {
	if x.refined {
		return nil
	}
	x.refined = true
	up := func() float64 { return 1 }
	down := func() float64 { return -1 }
	return errors.Join(x.draw(ctx, m, moreDraws), x.drawFrom(ctx, m, up, down))
}

func (x *Result) differs(got [][]float32) string {
	if len(got) != len(x.Want) {
		return fmt.Sprintf("%d fuzzy sets, want %d", len(got)-1, len(x.Want)-1)
	}
	for i, v := range got {
		if len(v) != len(x.Want[i]) {
			return fmt.Sprintf("vector %d has %d numbers, want %d", i, len(v), len(x.Want[i]))
		}
		for e, p := range v {
			if what := x.Differs(i, e, p); what != "" {
				return what
			}
		}
	}
	return ""
}

// Differs returns how number e of vector i differs from the expected one, "" if it does not.
func (x *Result) Differs(i, e int, got float32) string {
	w := x.Want[i][e]
	tolerance := x.Tolerance(i, e)
	if math.Abs(float64(got)-float64(w)) <= tolerance {
		return ""
	}
	return fmt.Sprintf("entity %d of vector %d has %g, want %g within %.2g", e, i, got, w, tolerance)
}
