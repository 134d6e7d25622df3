package reference

import (
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

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
