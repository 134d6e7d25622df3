package reference

import (
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
)

// The constants of truth degrees, as package fit of the runtime states them: the
// largest degree of a link that is not observed, the bounds on the values of an
// enumerated variable and on the branches, each for one of K, what candidates need, and the floors of the
// mixture.
const (
	largest      = 0.9999
	maxValues    = 16
	maxBranches  = 64
	leastShare   = 0.03 // of the best candidate's degree, to have a row
	floorMessage = 1e-12
	floorDegree  = 1e-6
)

// fuzzy is a fuzzy set of all entities. An entity has a degree of its own where its
// degree is not rest, that of the entities of which nothing is said.
type fuzzy struct {
	deg  []float32
	rest float32
}

func (x fuzzy) own(e int) bool { return x.deg[e] != x.rest }

// degrees is one fuzzy set for all branches, or one for each.
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

// candidates are entities in order. Those behind the first `predicted` ones have no
// rows but their observed links.
type candidates struct {
	ids       []int
	predicted int
}

// rowSet has a row for each candidate, of the link that made them.
type rowSet struct {
	candidates
	rows     []fuzzy
	relation model.RelationID // as it is read
	negated  bool
}

// branches are the values that enumerated variables take together: for each branch
// its weight, its parent and the index of its value among the candidates.
type branches struct {
	weights        []float32
	parents, value []int
}

// beam returns how many of the best entities have rows.
func (mc *machine) beam(x fuzzy, ids []int) int {
	n := len(ids)
	for !mc.exact() && n > 0 && x.deg[ids[n-1]] < leastShare*x.deg[ids[0]] {
		n--
	}
	return n
}

// degreeOps holds one plain loop per op of truth degrees.
var degreeOps = map[ir.Op]func(mc *machine, v *ir.Value, args []any) any{
	ir.Row: func(mc *machine, v *ir.Value, _ []any) any {
		return single(mc.row(int(mc.bindings.Constants[v.Const]), mc.read(v), v.Negated))
	},
	ir.Any: func(mc *machine, _ *ir.Value, _ []any) any { return single(mc.constant(1)) },
	ir.Peak: func(mc *machine, _ *ir.Value, args []any) any {
		return args[0].(degrees).each(func(x fuzzy) fuzzy { return mc.constant(slices.Max(x.deg)) })
	},
	ir.Best: func(mc *machine, _ *ir.Value, args []any) any {
		x := args[0].(degrees).of(0)
		ids := best(x, mc.truth().Candidates)
		ids = ids[:mc.beam(x, ids)]
		return candidates{ids, len(ids)}
	},
	ir.Every: func(mc *machine, _ *ir.Value, args []any) any {
		if !mc.exact() {
			return candidates{}
		}
		ids := best(args[0].(degrees).of(0), mc.n())
		return candidates{ids, len(ids)}
	},
	ir.Values: func(mc *machine, _ *ir.Value, args []any) any {
		x := args[0].(degrees).of(0)
		if mc.exact() {
			ids := best(x, mc.n())
			return candidates{ids, len(ids)}
		}
		for _, y := range args[1:] {
			x = times(x, y.(degrees).of(0))
		}
		k := mc.truth().Candidates
		ids := best(x, maxValues*k)
		return candidates{ids, mc.beam(x, ids[:min(k, len(ids))])}
	},
	ir.Rows: func(mc *machine, v *ir.Value, args []any) any {
		r := rowSet{candidates: args[0].(candidates), relation: mc.read(v), negated: v.Negated}
		for i, c := range r.ids {
			if i < r.predicted {
				r.rows = append(r.rows, mc.row(c, r.relation, r.negated))
			} else {
				r.rows = append(r.rows, mc.signed(mc.observed(c, r.relation), r.negated))
			}
		}
		return r
	},
	ir.Diagonal: func(mc *machine, _ *ir.Value, args []any) any {
		r := args[0].(rowSet)
		x := mc.set(0, func(e int) float64 { return indicator(mc.has(e, r.relation, e)) })
		x = mc.signed(x, r.negated)
		for i, c := range r.ids {
			x.deg[c] = r.rows[i].deg[c]
		}
		return single(x)
	},
	ir.Push: func(mc *machine, _ *ir.Value, args []any) any { return mc.push(args) },
	ir.Narrow: func(mc *machine, _ *ir.Value, args []any) any {
		return combine([]any{args[0], mc.push(args[1:])}, times)
	},
	ir.Leaf: func(mc *machine, _ *ir.Value, args []any) any {
		if mc.exact() {
			return mc.push(args)
		}
		return args[0].(degrees).each(func(x fuzzy) fuzzy { return mc.leaf(x, args[1:]) })
	},
	ir.Root: func(*machine, *ir.Value, []any) any {
		return branches{weights: []float32{1}, parents: []int{0}, value: []int{0}}
	},
	ir.Branch: func(mc *machine, _ *ir.Value, args []any) any {
		return mc.branch(args[0].(degrees), args[1].(candidates), args[2].(branches))
	},
	ir.Each: func(mc *machine, _ *ir.Value, args []any) any {
		out := degrees{branched: true}
		for _, i := range args[0].(branches).value {
			x := mc.constant(1)
			for _, r := range args[1:] {
				x = times(x, r.(rowSet).rows[i])
			}
			out.sets = append(out.sets, x)
		}
		return out
	},
	ir.Follow: func(_ *machine, _ *ir.Value, args []any) any {
		x, out := args[0].(degrees), degrees{branched: true}
		for _, parent := range args[1].(branches).parents {
			out.sets = append(out.sets, x.of(parent))
		}
		return out
	},
	ir.Join: func(mc *machine, _ *ir.Value, args []any) any {
		x, out := args[0].(degrees), mc.constant(0)
		for b, w := range args[1].(branches).weights {
			out = mc.max(out, w, x.of(b))
		}
		return single(out)
	},
	ir.Times: func(_ *machine, _ *ir.Value, args []any) any { return combine(args, times) },
	ir.Either: func(_ *machine, _ *ir.Value, args []any) any {
		return combine(args, func(x, y fuzzy) fuzzy {
			return pairwise(x, y, func(p, q float32) float32 { return float32(1 - (1-float64(p))*(1-float64(q))) })
		})
	},
	ir.Dense: func(_ *machine, _ *ir.Value, args []any) any { return slices.Clone(args[0].(degrees).of(0).deg) },
	ir.Mixture: func(mc *machine, _ *ir.Value, args []any) any {
		x, y, g := args[0].([]float32), args[1].([]float32), mc.truth().Mixture
		logs, top := make([]float64, mc.n()), math.Inf(-1)
		for e := range logs {
			logs[e] = (1-g)*math.Log(float64(x[e])+floorMessage) + g*math.Log(float64(y[e])+floorDegree)
			top = math.Max(top, logs[e])
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		return mc.each(func(e int) float64 { return math.Exp(logs[e]-top) / sum })
	},
}

// single is a fuzzy set for all branches.
func single(x fuzzy) degrees { return degrees{sets: []fuzzy{x}} }

// each applies a function to every fuzzy set.
func (x degrees) each(f func(fuzzy) fuzzy) degrees {
	out := degrees{branched: x.branched}
	for _, s := range x.sets {
		out.sets = append(out.sets, f(s))
	}
	return out
}

// combine folds degrees branch by branch: a single fuzzy set counts in every branch.
func combine(args []any, f func(x, y fuzzy) fuzzy) degrees {
	out := args[0].(degrees)
	for _, a := range args[1:] {
		x := a.(degrees)
		n, branched := len(out.sets), out.branched || x.branched
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
