package shapes

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestGoldenSharded splits the real graphs and asks a golden query of each shape, by default of a
// few, by all semantics; of shapes that have none, one with the names of others. Message passing is
// compared with the golden answers, all with the whole model: probabilities, which entities
// are best, and how they relate to the graph. A second run of a split gives the same bits.
func TestGoldenSharded(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it opens a real graph")
	}
	counts, few := long.Or([]int{1, 2, 3, 8}, []int{3}), []string{"1p", "2in", "up", "3cm"}
	for _, g := range tested() {
		t.Run(g.name, func(t *testing.T) {
			golden := map[string]shared.Golden{}
			var slots []map[string]int32
			for _, want := range shared.Goldens(t, shared.Dir(t, "data", "golden", g.name+".json")) {
				golden[want.Type] = want
				slots = append(slots, want.Slots)
			}
			rng := rand.New(rand.NewPCG(19, 1))
			for _, s := range lang.Shapes {
				if _, ok := golden[s.Name]; !ok {
					golden[s.Name] = shared.Golden{Type: s.Name, Slots: shared.DrawSlots(rng, s.Formula, slots)}
				}
			}
			m := openShared(t, g)
			for _, of := range counts {
				t.Run(fmt.Sprint(of), func(t *testing.T) {
					split := inShards(t, m, of)
					for _, s := range lang.Shapes {
						if !long.Tests() && !slices.Contains(few, s.Name) {
							continue
						}
						for _, semantics := range model.AllSemantics {
							compareShards(t, m, split, golden[s.Name], semantics)
						}
					}
				})
			}
		})
	}
}

// inShards splits a model in memory and opens it on ranks that are goroutines.
func inShards(t *testing.T, m *runtime.Model, of int) *runtime.Model {
	t.Helper()
	split, end, err := runtime.SplitHere(m.Model, of, compiler.Distributed, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return split
}

// compareShards asks one query of both.
func compareShards(t *testing.T, whole, split *runtime.Model, want shared.Golden, semantics model.Semantics) {
	t.Helper()
	var answers [3][]float32
	var best [3]*runtime.Answers
	for i, m := range []*runtime.Model{whole, split, split} {
		q, err := lang.ShapeQuery(want.Type)
		require.NoError(t, err)
		p, err := compiler.Prepare(m, q, compiler.PrepareOptions{Plans: Plans(), Semantics: &semantics})
		require.NoError(t, err)
		b := bind(p, want.Slots)
		err = p.Query.Scores(t.Context(), b, nil, func(x plan.Vector, _ []plan.Vector) error {
			answers[i] = slices.Clone(x)
			return nil
		})
		require.NoError(t, err)
		best[i], err = p.Query.Answer(t.Context(), b, runtime.Options{K: 10})
		require.NoError(t, err)
	}
	if !slices.Equal(answers[1], answers[2]) || !reflect.DeepEqual(best[1], best[2]) {
		t.Errorf("%s by %s: two runs of one split differ", want.Type, semantics)
	}
	if semantics == model.NSMP && want.Top != nil {
		check(t, answers[1], want)
	}
	for e, w := range answers[0] {
		if !near(float64(answers[1][e]), float64(w)) {
			t.Errorf("%s by %s: entity %d has %g, want %g", want.Type, semantics, e, answers[1][e], w)
			break
		}
	}
	for i, a := range best[0].Answers {
		b := best[1].Answers[i]
		if a.Entity != b.Entity && !near(float64(b.Score), float64(a.Score)) || a.Entity == b.Entity && a.Status != b.Status {
			t.Errorf("%s by %s: answer %d is %+v, want %+v", want.Type, semantics, i+1, b, a)
		}
	}
}
