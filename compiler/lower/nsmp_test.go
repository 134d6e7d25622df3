package lower_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/seed"
)

// TestNSMPErrors checks that exactly those numbers of layers are refused with which no message reaches the free
// variable.
func TestNSMPErrors(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		d := drawDNF(t, 4)
		shape := lower.NewShape(d)
		need := 0
		for i := range shape.Disjuncts {
			need = max(need, firstMessage(&shape.Disjuncts[i]))
		}
		layers := rapid.IntRange(1, 6).Draw(t, "layers")
		p, _, err := lower.NSMP(shape, layers)
		switch {
		case layers < need && err == nil:
			t.Fatalf("%s with %d layers is accepted, want %d at least", shape.Key, layers, need)
		case layers < need && strings.Contains(err.Error(), "internal error"):
			t.Fatalf("%s with %d layers: %v", shape.Key, layers, err)
		case layers >= need && err != nil:
			t.Fatalf("%s with %d layers: %v", shape.Key, layers, err)
		case err == nil && p.Verify() != nil:
			t.Fatalf("%v\n%s", p.Verify(), p)
		}
	})
}

// firstMessage returns the length of the shortest path to the free variable from a constant or a variable that
// is initialised before the first layer.
func firstMessage(g *scq.Disjunct) int {
	at := make([]int, len(g.Variables))
	get := func(t scq.Term) int {
		if t.Constant {
			return 0
		}
		return at[t.Index]
	}
	for i := range at {
		if at[i] = len(at) + 1; started(g, i) {
			at[i] = 0
		}
	}
	if at[0] == 0 {
		// From a neighbour, or along a loop.
		nearest := len(at) + 1
		for _, e := range relational(g) {
			for _, ends := range [][2]scq.Term{{e.Head, e.Tail}, {e.Tail, e.Head}} {
				if ends[0] == scq.Var(0) {
					nearest = min(nearest, at[ends[1].Index]+1)
				}
			}
		}
		return nearest
	}
	for range at {
		for _, e := range relational(g) {
			if !e.Head.Constant {
				at[e.Head.Index] = min(at[e.Head.Index], get(e.Tail)+1)
			}
			if !e.Tail.Constant {
				at[e.Tail.Index] = min(at[e.Tail.Index], get(e.Head)+1)
			}
		}
	}
	return at[0]
}

// relational returns the atoms other than inequalities.
func relational(g *scq.Disjunct) []scq.Atom {
	return slices.DeleteFunc(slices.Clone(g.Atoms), scq.Atom.Unequal)
}
