package calibrate

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestHeldBack marks random facts held back: those are returned as used, the others as unused, and none that the graph has.
func TestHeldBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	for range 50 {
		all := map[graph.Triple]bool{}
		for range 1 + rng.IntN(40) {
			all[graph.Triple{Head: graph.EntityID(rng.IntN(5)), Relation: int32(rng.IntN(3)), Tail: graph.EntityID(rng.IntN(5))}] = true
		}
		var held, stored, calibrating, used, unused []graph.Triple
		for x := range all {
			switch rng.IntN(4) {
			case 0:
				stored = append(stored, x)
			case 1:
				calibrating = append(calibrating, x)
				used = append(used, x)
			default:
				unused = append(unused, x)
			}
			held = append(held, x)
		}
		calibrating = append(calibrating, graph.Triple{Head: 4, Relation: 3, Tail: 4}) // which is not held back

		m := &model.Model{}
		var err error
		m.Graph, err = graph.New(5, 4, stored)
		require.NoError(t, err)
		m.Heldout, err = graph.New(5, 4, held)
		require.NoError(t, err)
		m.Manifest.Heldout = m.Heldout.NumTriples()
		m.Manifest.Missing.HeldBack = mark(m, calibrating)
		gotUsed, gotUnused := HeldBack(m)
		for _, list := range [][]graph.Triple{used, unused} {
			slices.SortFunc(list, func(a, b graph.Triple) int {
				return slices.Compare([]int32{a.Relation, int32(a.Head), int32(a.Tail)}, []int32{b.Relation, int32(b.Head), int32(b.Tail)})
			})
		}
		if !reflect.DeepEqual(gotUsed, used) || !reflect.DeepEqual(gotUnused, unused) {
			t.Fatalf("used are %v, unused %v, want %v and %v", gotUsed, gotUnused, used, unused)
		}
	}
	if used, unused := HeldBack(&model.Model{}); used != nil || unused != nil {
		t.Errorf("a model without such facts has %v and %v", used, unused)
	}
}
