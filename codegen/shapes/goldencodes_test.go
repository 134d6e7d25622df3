package shapes

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// codesOff is the permitted relative error of a probability if a table has int8 codes and exact rows.
const codesOff = 0.005

// TestGoldenCodes compares the table that import writes with the golden answers: the error of each of the ten
// best is at most codesOff, and none of them is much less likely than the last golden one, whether a sweep of
// codes or bounds find them.
func TestGoldenCodes(t *testing.T) {
	for _, g := range tested() {
		t.Run(g.name, func(t *testing.T) {
			g.table = table.Default
			m := openShared(t, g)
			if m.Bundle().Predictor.EntityTable.Codes() == nil {
				t.Fatal("the table has no codes")
			}
			worst, golden := 0.0, shared.Goldens(t, shared.Dir(t, "data", "golden", g.name+".json"))
			for i := range 2 * len(golden) {
				want, access := golden[i/2], plan.Access{Estimates: true, Bounds: i%2 == 1}
				if again := i >= 2 && golden[i/2-1].Type == want.Type; again && !long.Tests() {
					continue
				}
				t.Run(fmt.Sprintf("%s-%d", want.Type, i), func(t *testing.T) {
					m.Use(access)
					p, b := prepare(t, m, compiler.EngineCompiled, want)
					degrees := map[graph.EntityID]float64{}
					for _, top := range want.Top {
						degrees[graph.EntityID(top.ID)] = top.Prob
					}
					last := want.Top[min(10, len(want.Top))-1].Prob
					r, err := p.Ask(context.Background(), b, runtime.Options{K: 10})
					require.NoError(t, err)
					for _, a := range r.Rows {
						prob, listed := degrees[a.Values[0].ID]
						if !listed && float64(a.Score) > last*(1+codesOff) || listed && prob < last*(1-codesOff) {
							t.Errorf("entity %d has probability %g, and is not among those from %g on", a.Values[0].ID, a.Score, last)
						}
						if listed {
							off := math.Abs(float64(a.Score)-prob) / prob
							if worst = max(worst, off); off > codesOff {
								t.Errorf("entity %d has probability %g, want %g", a.Values[0].ID, a.Score, prob)
							}
						}
					}
				})
			}
			if decided, passed := m.Readouts().Counts(); 4*decided < decided+passed {
				t.Errorf("bounds decide %d of %d answers", decided, decided+passed)
			}
			t.Logf("the ten best are off by %.2g at most", worst)
		})
	}
}
