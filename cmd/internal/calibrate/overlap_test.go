package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/seed"
)

// TestOverlap draws answers, half of them true, which validation and test facts confirm in some number of ways. Of those that
// validation facts do not confirm, test facts confirm the share that the curve gives. The only fact that confirms an answer is
// of one kind, and leaves the curve as it is.
func TestOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 57))
	for _, facts := range []int{1, 2, 5, 10} {
		const share = 0.06 // of the facts that are for validation, as many as for tests
		seen := &observed{hard: map[int]float64{}}
		var validated, open, tested float64
		const answers = 200_000
		for range answers {
			kinds := [3]bool{} // of the facts that confirm the answer: either half of validation, and test
			for range facts * rng.IntN(2) {
				switch x := rng.Float64() / share; {
				case x < 0.5:
					kinds[0] = true
				case x < 1:
					kinds[1] = true
				case x < 2:
					kinds[2] = true
				}
			}
			q := &question{halves: make([][]int32, 2)}
			for half := range q.halves {
				if kinds[half] {
					q.halves[half] = []int32{0}
					q.hard = []int32{0}
				}
			}
			switch {
			case len(q.hard) > 0:
				validated++
			case kinds[2]:
				tested++
				open++
			default:
				open++
			}
			seen.add(q, 0, found{list: []runtime.Observed{{Head: -1, Tail: -1}}}, func(*runtime.Observed) (ends [2]end, applies float64) { return })
		}
		confirmed := digits(validated / answers)
		lessened := seen.overlap.lessen(model.Curve{X: []float64{0, 1}, Y: []float64{confirmed, 1}})
		if got := model.AmongMissing(lessened.Y[0], 1); math.Abs(got/(tested/open)-1) > 0.06 {
			t.Errorf("with %d facts that may confirm an answer it has chance %v, want %v", facts, got, tested/open)
		}
		if facts == 1 && lessened.Y[0] != confirmed || lessened.Y[0] > confirmed || lessened.Y[1] != 1 {
			t.Errorf("with %d facts, chances of %v and 1 become %v", facts, confirmed, lessened.Y)
		}
	}
}
