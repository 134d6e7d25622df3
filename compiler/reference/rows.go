package reference

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// read returns the relation in the direction in which an op reads it: backward is the inverse.
func (mc *machine) read(v *ir.Value) graph.RelationID {
	if v.Backward {
		return mc.relation(v).Inverse()
	}
	return mc.relation(v)
}

func (mc *machine) has(h int, r graph.RelationID, t int) bool {
	return mc.model.Graph.Has(graph.EntityID(h), r, graph.EntityID(t))
}

// set builds a fuzzy set from a function of an entity.
func (mc *machine) set(rest float32, f func(e int) float64) fuzzy {
	x := fuzzy{deg: make([]float32, mc.n()), rest: rest}
	for e := range x.deg {
		x.deg[e] = float32(f(e))
	}
	return x
}

// constant is the fuzzy set in which every entity has the same degree.
func (mc *machine) constant(d float32) fuzzy {
	return mc.set(d, func(int) float64 { return float64(d) })
}

// except is 1 for all entities except e.
func (mc *machine) except(e int) fuzzy {
	x := mc.constant(1)
	x.deg[e] = 0
	return x
}

// selected gives each entity its degree under a filter. Entities without a value are not listed.
func (mc *machine) selected(f *model.Selection) fuzzy {
	return mc.set(f.Unknown(), func(e int) float64 { return float64(f.Factor(graph.EntityID(e))) })
}

// row returns P_r(h), or 1 − min(1, ν·P_r(h)).
func (mc *machine) row(h int, r graph.RelationID, negated bool) fuzzy {
	d := mc.truth()
	query := mc.product(mc.model.Predictor.EntityTable.Row(graph.EntityID(h), nil), r, false, false)
	temperature := d.Temperature
	if factors := mc.model.Manifest.Temperatures; factors != nil {
		temperature *= factors[r]
	}
	p := make([]float64, mc.n())
	top := math.Inf(-1)
	about := mc.regularity(r)
	for t := range p {
		p[t] = (mc.dot(query, mc.entity(t)) + about.score(h, t) + mc.integersMiss(t, query)) / temperature
		top = math.Max(top, p[t])
	}
	sum := 0.0
	for t := range p {
		p[t] = mc.exponential(p[t], top)
		sum += p[t]
	}
	tails := 0.0
	mass := 0.0
	for t := range p {
		p[t] /= sum
		if mc.has(h, r, t) {
			tails++
			mass += p[t]
		}
	}
	c := math.Max(1, tails)
	if d.Mass && tails > 0 {
		c = tails / math.Max(1e-6, mass)
	}
	if tails > 0 {
		c *= about.second
	}
	return mc.signed(mc.set(0, func(t int) float64 {
		scaled := math.Min(largest, mc.rounded(c*p[t]))
		switch {
		case mc.has(h, r, t):
			return 1
		case scaled < d.Threshold:
			return 0
		}
		return scaled
	}), negated)
}

// observed returns the row of an entity restricted to its observed links.
func (mc *machine) observed(h int, r graph.RelationID) fuzzy {
	return mc.set(0, func(t int) float64 { return indicator(mc.has(h, r, t)) })
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// signed returns x, or 1 − min(1, ν·x) for a negated atom.
func (mc *machine) signed(x fuzzy, negated bool) fuzzy {
	if !negated {
		return x
	}
	nu := mc.truth().Negation
	not := func(d float32) float64 {
		x := 1 - math.Min(1, nu*float64(d))
		if x == 0 || x == 1 {
			return x
		}
		return math.Max(0, x+mc.off(1)/8)
	}
	return mc.set(float32(not(x.rest)), func(e int) float64 { return not(x.deg[e]) })
}

func times(x, y fuzzy) fuzzy {
	return pairwise(x, y, func(p, q float32) float32 { return p * q })
}

// pairwise combines two fuzzy sets entity by entity.
func pairwise(x, y fuzzy, f func(p, q float32) float32) fuzzy {
	z := fuzzy{deg: make([]float32, len(x.deg)), rest: f(x.rest, y.rest)}
	for e := range z.deg {
		z.deg[e] = f(x.deg[e], y.deg[e])
	}
	return z
}

// max returns the element-wise maximum of x and y scaled.
func (mc *machine) max(x fuzzy, scale float32, y fuzzy) fuzzy {
	return pairwise(x, y, func(p, q float32) float32 { return max(p, scale*q) })
}

// best returns the k entities of largest positive degree, best first, ties in order of id.
func best(x fuzzy, k int) []int {
	var ids []int
	for e, d := range x.deg {
		if d > 0 {
			ids = append(ids, e)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(x.deg[b], x.deg[a]) })
	return ids[:min(k, len(ids))]
}

// push returns the largest product of a variable's degree and its rows, branch by branch; args are the degrees
// and the rows.
func (mc *machine) push(args []any) degrees {
	links := make([]rowSet, 0, len(args)-1)
	positive := false
	for _, a := range args[1:] {
		links = append(links, a.(rowSet))
		positive = positive || !a.(rowSet).negated
	}
	among := map[int]bool{}
	for _, c := range links[0].ids {
		among[c] = true
	}
	return args[0].(degrees).each(func(x fuzzy) fuzzy {
		out := mc.constant(0)
		for i, c := range links[0].ids {
			product := mc.constant(1)
			for _, l := range links {
				product = times(product, l.rows[i])
			}
			out = mc.max(out, x.deg[c], product)
		}
		if mc.exact() || !positive {
			return out
		}
		for c, d := range x.deg {
			if among[c] || d <= 0 || !x.own(c) {
				continue
			}
			for t := range out.deg {
				if mc.leads(c, links, t) {
					out.deg[t] = max(out.deg[t], d)
				}
			}
		}
		return out
	})
}

// leads reports whether every positive link from c to t is observed, and no negated one.
func (mc *machine) leads(c int, links []rowSet, t int) bool {
	for _, l := range links {
		linked := c == t
		if !l.unequal {
			linked = mc.has(c, l.relation, t)
		}
		if linked == l.negated {
			return false
		}
	}
	return true
}

// leaf returns, without rows, the degrees that a variable not informed by constants pushes into its neighbour:
// the larger of two numbers. One is the largest degree of a value with an observed link to the neighbour, times
// φ for each unobserved positive link. The other is the largest degree of all values, times φ for each positive
// link. A negated link counts as absent unless it is observed. An inequality excludes the neighbour itself as a
// value.
func (mc *machine) leaf(x fuzzy, links []any) fuzzy {
	phi := float32(mc.truth().Leaf)
	not := mc.signed(mc.constant(1), true).rest
	base := mc.constant(slices.Max(x.deg))
	positive := false
	apart := slices.ContainsFunc(links, func(a any) bool { return a.(rowSet).unequal })
	if apart {
		base = mc.other(x)
	}
	for _, a := range links {
		if !a.(rowSet).negated {
			base = times(base, mc.constant(phi))
			positive = true
		}
	}
	if !positive {
		return base
	}
	return mc.set(base.rest, func(t int) float64 {
		top := base.deg[t]
		for c, d := range x.deg {
			linked := false
			for _, a := range links {
				l := a.(rowSet)
				if l.unequal {
					continue
				}
				switch has := mc.has(c, l.relation, t); {
				case l.negated && has:
					d *= not
				case l.negated:
				case has:
					linked = true
				default:
					d *= phi
				}
			}
			if linked && !(apart && c == t) {
				top = max(top, d)
			}
		}
		return float64(top)
	})
}

// other returns, for each entity, the largest degree of another entity.
func (mc *machine) other(x fuzzy) fuzzy {
	return mc.set(slices.Max(x.deg), func(e int) float64 {
		best := float32(0)
		for c, d := range x.deg {
			if c != e {
				best = max(best, d)
			}
		}
		return float64(best)
	})
}

// branch opens a branch for each value of a variable in each branch; if these are too many, only the best.
func (mc *machine) branch(x degrees, top candidates, parents branches, rows []any) branches {
	// A value without predicted links is dropped if a positive atom has no observed link from it.
	nowhere := func(i int) bool {
		return i >= top.predicted && slices.ContainsFunc(rows, func(r any) bool {
			s := r.(rowSet)
			return !s.negated && slices.Max(s.rows[i].deg) == 0
		})
	}
	var all branches
	var order []int
	for p, w := range parents.weights {
		for i, c := range top.ids {
			if d := w * x.of(p).deg[c]; d > 0 && !nowhere(i) {
				order = append(order, len(order))
				all.weights, all.parents, all.value = append(all.weights, d), append(all.parents, p), append(all.value, i)
			}
		}
	}
	if limit := max(maxBranches*mc.truth().Candidates, len(top.ids)); len(order) > limit && !mc.exact() {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all.weights[b], all.weights[a]) })
		order = order[:limit]
	}
	var out branches
	for _, i := range order {
		out.weights, out.parents, out.value = append(out.weights, all.weights[i]), append(out.parents, all.parents[i]), append(out.value, all.value[i])
	}
	return out
}
