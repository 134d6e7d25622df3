package reference

import (
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model/graph"
)

// eval computes one value from the results of its operands.
func (mc *machine) eval(v *ir.Value) (any, error) {
	f, ok := ops[v.Op]
	if !ok {
		f, ok = degreeOps[v.Op]
		if !ok {
			return nil, fmt.Errorf("no loop for op %s", v.Op)
		}
	}
	c := call{mc, v, make([]any, len(v.Args))}
	for i, a := range v.Args {
		c.args[i] = mc.results[a]
	}
	return f(c), nil
}

// ops holds one plain loop per op of message passing; degreeOps has the others.
var ops = map[ir.Op]func(c call) any{
	ir.Entity: func(c call) any { return c.model.Predictor.EntityTable.Row(c.slot(), nil) },
	ir.OneHot: func(c call) any { return c.oneHot() },
	ir.Factors: func(c call) any {
		return c.each(func(e int) float64 { return float64(c.selection().Factor(graph.EntityID(e))) })
	},
	ir.Neighbors: func(c call) any { return c.traverse(c.oneHot()) },
	ir.LoopScore: func(c call) any {
		return c.each(func(e int) float64 {
			row := c.entity(e)
			return c.dot(c.product(row, c.relation(c.v), false, c.v.Negated), row)
		})
	},
	ir.Loops: func(c call) any {
		x := make([]float32, c.n())
		heads, tails := c.model.Graph.Edges(c.relation(c.v))
		for i := range heads {
			if heads[i] == tails[i] {
				x[heads[i]] = 1
			}
		}
		return x
	},
	ir.Ends: func(c call) any {
		x := make([]float32, c.n())
		heads, tails := c.model.Graph.Edges(c.relation(c.v))
		if c.v.Backward {
			heads = tails
		}
		for _, e := range heads {
			x[e] = 1
		}
		return x
	},
	ir.Project: func(c call) any {
		return c.product(c.vec(0), c.relation(c.v), c.v.Backward, c.v.Negated)
	},
	ir.Score: func(c call) any {
		x := c.vec(0)
		size := math.Sqrt(dot(x, x))
		return c.each(func(e int) float64 { return c.dot(x, c.entity(e)) + c.codesMiss(e, size) })
	},
	ir.Softmax:    func(c call) any { return c.softmax(c.vec(0)) },
	ir.Traverse:   func(c call) any { return c.traverse(c.vec(0)) },
	ir.Complement: func(c call) any { return c.complement() },
	ir.Elsewhere: func(c call) any {
		return c.each(func(e int) float64 { return c.elsewhere(float64(c.vec(0)[e])) })
	},
	ir.Normalize: func(c call) any { return c.cut(c.sumCut()) },
	ir.Blend:     func(c call) any { return c.blend() },
	ir.Mul:       func(c call) any { return c.conjunction() },
	ir.Message: func(c call) any {
		links := c.with(c.vec(1))
		if c.v.Negated {
			links = c.with(links.complement())
		}
		blended := c.with(c.with(c.softmax(c.vec(0)), links.cut(links.sumCut())).blend())
		return blended.cut(blended.sumCut())
	},
	ir.State: func(c call) any {
		product := c.with(c.conjunction())
		return product.cut(product.sumCut())
	},
	ir.Embed: func(c call) any { return c.embed(c.vec(0)) },
	// An estimate only saves work: the sum is computed anew.
	ir.Estimate: func(c call) any { return nil },
	ir.Correct:  func(c call) any { return c.embed(c.vec(0)) },
	ir.Cosine:   func(c call) any { return c.cosines(c.vec(0)) },
	ir.Mix:      func(c call) any { return c.mix(c.vec(0), c.vec(1)) },
	ir.Readout:  func(c call) any { return c.mix(c.vec(0), c.softmax(c.cosines(c.vec(1)))) },
	ir.ScaleMax: func(c call) any { return c.over(c.largest()) },
	ir.ScaleSum: func(c call) any { return c.over(c.sum()) },
	ir.Max:      func(c call) any { return c.fold(func(x, y float32) float32 { return max(x, y) }) },
	ir.SumExp:   func(c call) any { return sumExp(c.vec(0)) },
	ir.SumCut:   func(c call) any { return c.sumCut() },
	ir.Sum:      func(c call) any { return c.sum() },
	ir.Largest:  func(c call) any { return c.largest() },
	ir.Share:    func(c call) any { return c.share(c.vec(0), c.num(1)) },
	ir.Cut:      func(c call) any { return c.cut(c.num(1)) },
	ir.Over:     func(c call) any { return c.over(c.num(1)) },
}

// elsewhere returns 1 − x. Except for a constant, the mass of a single entity may be slightly below 1 by
// rounding.
func (c call) elsewhere(x float64) float64 {
	if x == 0 || c.v.Args[0].Op == ir.OneHot {
		return 1 - x
	}
	return 1 - x + c.off(1)/4
}

// oneHot returns the vector that is 1 at the constant of an op.
func (c call) oneHot() []float32 {
	x := make([]float32, c.n())
	x[c.slot()] = 1
	return x
}

// weighed returns a·x + b·y for the two operands.
func (c call) weighed(a, b float64) []float32 {
	return c.each(func(e int) float64 { return a*float64(c.vec(0)[e]) + b*float64(c.vec(1)[e]) })
}

// with returns the call with other operands.
func (c call) with(operands ...any) call { return call{c.machine, c.v, operands} }

// complement, blend and conjunction compute the ops of these names.
func (c call) complement() []float32 {
	share := c.settings.Alpha / float64(c.n())
	return c.each(func(e int) float64 { return share - float64(c.vec(0)[e]) + c.off(share)/4 })
}

func (c call) blend() []float32 { return c.weighed(2*(1-c.settings.Weight), 2*c.settings.Weight) }

func (c call) conjunction() []float32 { return c.fold(func(x, y float32) float32 { return x * y }) }

// fold combines the operands in order, entity by entity.
func (c call) fold(f func(x, y float32) float32) []float32 {
	return c.each(func(e int) float64 {
		x := c.vec(0)[e]
		for i := range c.args[1:] {
			x = f(x, c.vec(i + 1)[e])
		}
		return float64(x)
	})
}

func (c call) sum() number {
	sum := 0.0
	for _, x := range c.vec(0) {
		sum += float64(x)
	}
	return number{of: sum}
}

func (c call) largest() number { return number{of: float64(slices.Max(c.vec(0)))} }

// over divides the operand by a number; 0 if that is not positive.
func (c call) over(by number) []float32 {
	return c.each(func(e int) float64 {
		if by.of <= 0 {
			return 0
		}
		return float64(c.vec(0)[e]) / by.of
	})
}

// sumCut returns the sum of the entries that cut keeps.
func (c call) sumCut() number {
	sum := 0.0
	for _, x := range c.vec(0) {
		if float64(x) >= c.settings.Epsilon {
			sum += float64(x)
		}
	}
	return number{of: sum}
}

// cut divides the entries of at least ε by their sum; the others are 0.
func (c call) cut(sum number) []float32 {
	return c.each(func(e int) float64 {
		x := float64(c.vec(0)[e])
		if x < c.settings.Epsilon {
			return 0
		}
		return x / math.Max(c.settings.Epsilon, sum.of)
	})
}

// sumExp returns the largest entry m, and Σ exp(x − m).
func sumExp(x []float32) number {
	n := number{top: math.Inf(-1)}
	for _, v := range x {
		n.top = math.Max(n.top, float64(v))
	}
	for _, v := range x {
		n.of += math.Exp(float64(v) - n.top)
	}
	return n
}

// share returns exp(x[e]) over the sum of exponentials.
func (mc *machine) share(x []float32, sum number) []float32 {
	return mc.each(func(e int) float64 { return mc.exponential(float64(x[e]), sum.top) / sum.of })
}

// softmax returns exp(x[e]) / Σ exp(x).
func (mc *machine) softmax(x []float32) []float32 { return mc.share(x, sumExp(x)) }

// cosines returns cos(x, E_e), 0 if one of them is the zero vector.
func (mc *machine) cosines(x []float32) []float32 {
	size := math.Sqrt(dot(x, x))
	return mc.each(func(e int) float64 {
		row := mc.entity(e)
		norm := math.Sqrt(dot(row, row))
		if size == 0 || norm == 0 {
			return 0
		}
		return (mc.dot(x, row) + mc.codesMiss(e, size)) / (size * norm)
	})
}

// mix returns λ·x + (1−λ)·y.
func (mc *machine) mix(x, y []float32) []float32 {
	l := mc.settings.Lambda
	return mc.each(func(e int) float64 { return l*float64(x[e]) + (1-l)*float64(y[e]) })
}

// embed returns Σ_e x[e]·E_e.
func (mc *machine) embed(x []float32) []float32 {
	sum := make([]float64, 2*mc.model.Predictor.Rank)
	size := make([]float64, 2*mc.model.Predictor.Rank)
	for e, w := range x {
		for k, y := range mc.entity(e) {
			p := float64(w) * float64(y)
			sum[k] += p
			size[k] += math.Abs(p)
		}
	}
	for k, total := range size {
		sum[k] += mc.off(total)
	}
	mc.codesMove(sum, x)
	return round(sum)
}

// each builds a fuzzy vector from a function of an entity.
func (mc *machine) each(f func(e int) float64) []float32 {
	x := make([]float32, mc.n())
	for e := range x {
		x[e] = float32(mc.rounded(f(e)))
	}
	return x
}

// traverse returns x·M_r, or x·M_rᵀ backward.
func (c call) traverse(x []float32) []float32 {
	sum := make([]float64, c.n())
	heads, tails := c.model.Graph.Edges(c.relation(c.v))
	if c.v.Backward {
		heads, tails = tails, heads
	}
	for i, h := range heads {
		sum[tails[i]] += float64(x[h])
	}
	for t, total := range sum {
		sum[t] = c.rounded(total)
	}
	return round(sum)
}
