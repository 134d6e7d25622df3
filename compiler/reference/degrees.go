package reference

import (
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model/graph"
)

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

// beam returns the number of best entities with rows.
func (mc *machine) beam(x fuzzy, ids []int) int {
	n := len(ids)
	for !mc.exact() && n > 0 && x.deg[ids[n-1]] < leastShare*x.deg[ids[0]] {
		n--
	}
	return n
}

// degreeOps holds one plain loop per op of truth degrees.
var degreeOps = map[ir.Op]func(c call) any{
	ir.Row:      func(c call) any { return single(c.row(int(c.slot()), c.read(c.v), c.v.Negated)) },
	ir.Any:      func(c call) any { return single(c.constant(1)) },
	ir.Except:   func(c call) any { return single(c.except(int(c.slot()))) },
	ir.Selected: func(c call) any { return single(c.selected(c.selection())) },
	ir.Peak: func(c call) any {
		return c.deg(0).each(func(x fuzzy) fuzzy { return c.constant(slices.Max(x.deg)) })
	},
	ir.Best: func(c call) any {
		x := c.deg(0).of(0)
		ids := best(x, c.truth().Candidates)
		ids = ids[:c.beam(x, ids)]
		return candidates{ids, len(ids)}
	},
	ir.Every: func(c call) any {
		if !c.exact() {
			return candidates{}
		}
		ids := best(c.deg(0).of(0), c.n())
		return candidates{ids, len(ids)}
	},
	ir.Values: func(c call) any {
		x := c.deg(0).of(0)
		if c.exact() {
			ids := best(x, c.n())
			return candidates{ids, len(ids)}
		}
		for i := range c.args[1:] {
			x = times(x, c.deg(i+1).of(0))
		}
		k := c.truth().Candidates
		ids := best(x, c.v.Index*k)
		return candidates{ids, c.beam(x, ids[:min(k, len(ids))])}
	},
	ir.Rows: func(c call) any {
		r := rowSet{candidates: c.top(0), relation: c.read(c.v), negated: c.v.Negated}
		for i, e := range r.ids {
			if i < r.predicted {
				r.rows = append(r.rows, c.row(e, r.relation, r.negated))
			} else {
				r.rows = append(r.rows, c.signed(c.observed(e, r.relation), r.negated))
			}
		}
		return r
	},
	ir.Others: func(c call) any {
		r := rowSet{candidates: c.top(0), negated: true, unequal: true}
		for _, e := range r.ids {
			r.rows = append(r.rows, c.except(e))
		}
		return r
	},
	ir.Diagonal: func(c call) any {
		r := c.rows(0)
		x := c.set(0, func(e int) float64 { return indicator(c.has(e, r.relation, e)) })
		x = c.signed(x, r.negated)
		for i, e := range r.ids {
			x.deg[e] = r.rows[i].deg[e]
		}
		return single(x)
	},
	ir.Push:   func(c call) any { return c.push(c.args) },
	ir.Narrow: func(c call) any { return combine([]any{c.args[0], c.push(c.args[1:])}, times) },
	ir.Leaf: func(c call) any {
		if c.exact() {
			return c.push(c.args)
		}
		return c.deg(0).each(func(x fuzzy) fuzzy { return c.leaf(x, c.args[1:]) })
	},
	ir.Other:  func(c call) any { return c.deg(0).each(c.other) },
	ir.Root:   func(call) any { return branches{weights: []float32{1}, parents: []int{0}, value: []int{0}} },
	ir.Branch: func(c call) any { return c.branch(c.deg(0), c.top(1), c.cases(2), c.args[3:]) },
	ir.Each: func(c call) any {
		out := degrees{branched: true}
		for _, value := range c.cases(0).value {
			x := c.constant(1)
			for i := range c.args[1:] {
				x = times(x, c.rows(i + 1).rows[value])
			}
			out.sets = append(out.sets, x)
		}
		return out
	},
	ir.Follow: func(c call) any {
		out := degrees{branched: true}
		for _, parent := range c.cases(1).parents {
			out.sets = append(out.sets, c.deg(0).of(parent))
		}
		return out
	},
	ir.Join: func(c call) any {
		out := c.constant(0)
		for b, w := range c.cases(1).weights {
			out = c.max(out, w, c.deg(0).of(b))
		}
		return single(out)
	},
	ir.Times: func(c call) any { return combine(c.args, times) },
	ir.Either: func(c call) any {
		return combine(c.args, func(x, y fuzzy) fuzzy {
			return pairwise(x, y, func(p, q float32) float32 { return float32(1 - (1-float64(p))*(1-float64(q))) })
		})
	},
	ir.Dense: func(c call) any { return slices.Clone(c.deg(0).of(0).deg) },
	ir.Mixture: func(c call) any {
		x := c.vec(0)
		y := c.vec(1)
		g := c.truth().Mixture
		// (p + a)^(1−g)·(d + b)^g − a^(1−g)·b^g, divided by the latter
		over := func(p, d float64) float64 {
			return math.Expm1((1-g)*math.Log1p(p/floorMessage) + g*math.Log1p(d/floorDegree))
		}
		return c.each(func(e int) float64 { return over(float64(x[e]), float64(y[e])) / over(1, 1) })
	},
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
