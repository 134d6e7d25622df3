package reference

import "github.com/efoc/efoc/runtime/model/graph"

// The constants of truth degrees, as defined by package fit of the runtime: the largest degree of an unobserved
// link, the bound on the branches for each of K, the least share of a candidate, and the floors of the mixture.
const (
	largest      = 0.9999
	maxBranches  = 64
	leastShare   = 0.03 // of the best candidate's degree, to have a row
	floorMessage = 1e-12
	floorDegree  = 1e-6
)

// fuzzy is a fuzzy set of all entities. rest is the degree of entities without their own.
type fuzzy struct {
	deg  []float32
	rest float32
}

func (x fuzzy) own(e int) bool { return x.deg[e] != x.rest }

// degrees is one fuzzy set for all branches, or one per branch.
type degrees struct {
	sets     []fuzzy
	branched bool
}

// of returns the fuzzy set of branch b.
func (x degrees) of(b int) fuzzy {
	if x.branched {
		return x.sets[b]
	}
	return x.sets[0]
}

// candidates are entities, best first. Those after the first `predicted` ones have rows of observed links only.
type candidates struct {
	ids       []int
	predicted int
}

// rowSet has a row for each candidate, by the degrees of one link.
type rowSet struct {
	candidates
	rows     []fuzzy
	relation graph.RelationID // in reading direction
	negated  bool
	unequal  bool // of an inequality, negated identity
}

// branches are joint values of the enumerated variables: for each branch its weight, its parent and the index
// of its value among the candidates.
type branches struct {
	weights        []float32
	parents, value []int
}

// single returns a fuzzy set shared by all branches.
func single(x fuzzy) degrees { return degrees{sets: []fuzzy{x}} }

// each applies a function to every fuzzy set.
func (x degrees) each(f func(fuzzy) fuzzy) degrees {
	out := degrees{branched: x.branched}
	for _, s := range x.sets {
		out.sets = append(out.sets, f(s))
	}
	return out
}

// combine folds degrees branch by branch; a single fuzzy set applies to every branch.
func combine(args []any, f func(x, y fuzzy) fuzzy) degrees {
	out := args[0].(degrees)
	for _, a := range args[1:] {
		x := a.(degrees)
		n := len(out.sets)
		branched := out.branched || x.branched
		if !out.branched {
			n = len(x.sets)
		}
		sets := make([]fuzzy, n)
		for b := range sets {
			sets[b] = f(out.of(b), x.of(b))
		}
		out = degrees{sets, branched}
	}
	return out
}
