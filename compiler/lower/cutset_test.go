package lower

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/seed"
)

// cyclic reports whether a graph, restricted to a bit set of variables, has a cycle, by union-find.
func cyclic(edges [][2]int, set uint64) bool {
	group := make([]int, 64) // components so far
	for i := range group {
		group[i] = i
	}
	find := func(u int) int {
		for group[u] != u {
			u = group[u]
		}
		return u
	}
	for _, e := range edges {
		if set>>e[0]&1 == 0 || set>>e[1]&1 == 0 {
			continue
		}
		u, v := find(e[0]), find(e[1])
		if u == v {
			return true
		}
		group[u] = v
	}
	return false
}

// TestSmallestCutset compares the size of cutsets on random graphs with the minimum found by brute force.
func TestSmallestCutset(t *testing.T) {
	larger := 0
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "variables")
		g := &scq.Disjunct{Variables: make([]string, n)}
		var edges [][2]int
		for u := range n {
			for v := range u {
				if rapid.IntRange(0, 2).Draw(t, "linked") > 0 {
					continue
				}
				edges = append(edges, [2]int{u, v})
				for range rapid.IntRange(1, 2).Draw(t, "atoms") {
					a := scq.Atom{Head: scq.Var(u), Tail: scq.Var(v), Negated: rapid.Bool().Draw(t, "negated")}
					if rapid.Bool().Draw(t, "turned") {
						a.Head, a.Tail = a.Tail, a.Head
					}
					g.Atoms = append(g.Atoms, a)
				}
			}
		}
		for u := range n {
			if rapid.IntRange(0, 3).Draw(t, "anchored") == 0 {
				g.Atoms = append(g.Atoms, scq.Atom{Head: scq.Const(0), Tail: scq.Var(u)})
			}
		}
		smallest := n
		for left := uint64(1); left < 1<<n; left += 2 { // including the free variable
			if !cyclic(edges, left) {
				smallest = min(smallest, n-bits.OnesCount64(left))
			}
		}
		d := newDegreeBuilder(newBuilder(&Shape{Disjuncts: []scq.Disjunct{*g}}), 0, g)
		d.constants()
		size := 0
		for {
			if u := d.nextLeaf(); u > 0 {
				d.leaf(u)
			} else if u := d.nextCut(); u > 0 {
				d.condition(u)
				size++
			} else {
				break
			}
		}
		if size != smallest {
			t.Fatalf("a cutset of %d variables, the smallest has %d: %v", size, smallest, edges)
		}
		if size > 1 {
			larger++
		}
	})
	if larger == 0 && seed.Enough() {
		t.Error("no graph needs more than one variable")
	}
}
