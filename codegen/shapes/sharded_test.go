package shapes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestGoldenSharded splits the real graphs and asks a golden query of each shape, by default of a few, under
// all semantics; a shape without one is asked with the names of others. Message passing is compared with the
// golden answers, and everything with the unsplit model: probabilities, the best entities, and their statuses.
// A second run on three shards gives identical bits.
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
			for _, s := range benchmark.Shapes {
				if _, ok := golden[s.Name]; !ok {
					golden[s.Name] = shared.Golden{Type: s.Name, Slots: shared.DrawSlots(rng, s.Formula, slots)}
				}
			}
			var whole []asked
			m := openShared(t, g)
			for _, s := range benchmark.Shapes {
				for _, semantics := range model.AllSemantics {
					if long.Tests() || slices.Contains(few, s.Name) {
						whole = append(whole, ask(t, m, golden[s.Name], semantics))
					}
				}
			}
			for _, of := range counts {
				t.Run(fmt.Sprint(of), func(t *testing.T) {
					split := inShards(t, m, of)
					for _, want := range whole {
						got := ask(t, split, want.golden, want.semantics)
						compareShards(t, got, want)
						if of == 3 && !reflect.DeepEqual(got, ask(t, split, want.golden, want.semantics)) {
							t.Errorf("%s by %s: two runs of one split differ", want.golden.Type, want.semantics)
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
	split, end, err := shards.Here(m.Bundle(), of, stages.Distributed, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return split
}

// asked is the result of a golden query: the scores of all entities, and the best ones.
type asked struct {
	golden    shared.Golden
	semantics model.Semantics
	scores    []float32
	best      *runtime.Reply
}

// ask asks a model one query.
func ask(t *testing.T, m *runtime.Model, golden shared.Golden, semantics model.Semantics) asked {
	t.Helper()
	a := asked{golden: golden, semantics: semantics}
	q, err := benchmark.Query(golden.Type)
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Plans: Plans(), Semantics: &semantics})
	require.NoError(t, err)
	b := bind(p, golden.Slots)
	a.scores = scoresOf(t, p, b)
	a.best, err = p.Ask(t.Context(), b, runtime.Options{K: 10})
	require.NoError(t, err)
	return a
}

// compareShards compares the results of a split model with those of the unsplit one. One of two entities may drop
// a link that the other counts, because sums over shards round differently and a degree may be at the threshold.
func compareShards(t *testing.T, split, whole asked) {
	t.Helper()
	want, semantics := whole.golden, whole.semantics
	if semantics == model.NSMP && want.Top != nil {
		check(t, split.scores, want)
	}
	atThreshold := 0
	for e, w := range whole.scores {
		got, want := float64(split.scores[e]), float64(w)
		if near(got, want) {
			continue
		}
		if semantics != model.NSMP && math.Abs(got-want) < 1.001*model.DefaultDegrees().Threshold && atThreshold < 2 {
			atThreshold++
			continue
		}
		t.Errorf("%s by %s: entity %d has %g, want %g", whole.golden.Type, semantics, e, got, want)
		break
	}
	for i, a := range whole.best.Rows {
		b := split.best.Rows[i]
		if a.Values[0].ID != b.Values[0].ID && !near(float64(b.Score), float64(a.Score)) || a.Values[0].ID == b.Values[0].ID && a.Status != b.Status {
			t.Errorf("%s by %s: answer %d is %+v, want %+v", want.Type, semantics, i+1, b, a)
		}
	}
}
