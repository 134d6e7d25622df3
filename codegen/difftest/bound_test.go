package difftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
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
// where such errors, a threshold or a choice of the best entities make an answer
// uncertain, the runs show it. Two runs may understate it: before a difference counts
// as a disagreement, the reference is computed another 40 times.
//
// Where the world's table has codes, those runs move scores and sums by the stated bound of
// the codes too.
const (
	relative  = 1e-4
	least     = 1e-8
	absolute  = 1e-9
	condition = 4

	draws     = 2
	moreDraws = 40
)

// expected is what a query must give.
type expected struct {
	question *question
	settings model.Settings
	bindings scq.Bindings
	rng      *rand.Rand
	// want are the answer and the fuzzy sets, moved is how far rounding moved each
	// number at most.
	want, moved [][]float32
	refined     bool
}

// expect computes a query in the reference.
func (q *question) expect(m *query.Model, s model.Settings, b scq.Bindings, seed uint64) (*expected, error) {
	x := &expected{question: q, settings: s, bindings: b, rng: rand.New(rand.NewPCG(seed, 3))}
	r, err := reference.Run(context.Background(), q.compiled.Naive, m.Model, s, b)
	if err != nil {
		return nil, err
	}
	x.want = append([][]float32{r.Answer}, r.Sets...)
	for _, w := range x.want {
		x.moved = append(x.moved, make([]float32, len(w)))
	}
	return x, x.draw(m, draws)
}

// draw computes the reference some more times in Monte Carlo arithmetic.
func (x *expected) draw(m *query.Model, times int) error {
	noise := func() float64 { return 2*x.rng.Float64() - 1 }
	for range times {
		r, err := reference.RunRounded(context.Background(), x.question.compiled.Naive, m.Model, x.settings, x.bindings, noise)
		if err != nil {
			return err
		}
		for i, v := range append([][]float32{r.Answer}, r.Sets...) {
			for e, got := range v {
				x.moved[i][e] = max(x.moved[i][e], float32(math.Abs(float64(got)-float64(x.want[i][e]))))
			}
		}
	}
	return nil
}

// tolerance is how far number e of vector i may be off.
func (x *expected) tolerance(i, e int) float64 {
	t := condition * float64(x.moved[i][e])
	if w := float64(x.want[i][e]); w >= least {
		return t + relative*w
	}
	return t + absolute
}

// sharp reports whether the answer is known well enough for a comparison to say much:
// to a part in a hundred wherever it matters.
func (x *expected) sharp() bool {
	for e, w := range x.want[0] {
		if w >= least && condition*x.moved[0][e] > w/100 {
			return false
		}
	}
	return true
}

// compare returns how vectors differ from what is expected, "" if they do not. The
// error is that of the reference.
func (x *expected) compare(m *query.Model, got [][]float32) (string, error) {
	what := x.differs(got)
	if what == "" || x.refined {
		return what, nil
	}
	x.refined = true
	if err := x.draw(m, moreDraws); err != nil {
		return "", err
	}
	return x.differs(got), nil
}

func (x *expected) differs(got [][]float32) string {
	if len(got) != len(x.want) {
		return fmt.Sprintf("%d fuzzy sets, want %d", len(got)-1, len(x.want)-1)
	}
	for i, v := range got {
		if len(v) != len(x.want[i]) {
			return fmt.Sprintf("vector %d has %d numbers, want %d", i, len(v), len(x.want[i]))
		}
		for e, p := range v {
			if w := x.want[i][e]; !(math.Abs(float64(p)-float64(w)) <= x.tolerance(i, e)) {
				return fmt.Sprintf("entity %d of vector %d has %g, want %g within %.2g", e, i, p, w, x.tolerance(i, e))
			}
		}
	}
	return ""
}
