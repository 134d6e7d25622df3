package reference

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// machine holds what the ops read.
type machine struct {
	model    *model.Model
	settings model.Settings
	bindings scq.Bindings
	results  map[*ir.Value]any // []float32, or what an op of truth degrees makes
	kept     Kept
	scratch  []float32      // what entity may fill, 2d
	noise    func() float64 // what results are off by; nil for nothing
}

// eval computes one value from the results of its operands.
func (mc *machine) eval(v *ir.Value) (any, error) {
	if f, ok := degreeOps[v.Op]; ok {
		args := make([]any, len(v.Args))
		for i, a := range v.Args {
			args[i] = mc.results[a]
		}
		return f(mc, v, args), nil
	}
	f, ok := ops[v.Op]
	if !ok {
		return nil, fmt.Errorf("no loop for op %s", v.Op)
	}
	args := make([][]float32, len(v.Args))
	for i, a := range v.Args {
		args[i] = mc.array(a)
	}
	return f(mc, v, args), nil
}

// array returns the result of a value that is a vector or an embedding.
func (mc *machine) array(v *ir.Value) []float32 { return mc.results[v].([]float32) }

func (mc *machine) n() int { return mc.model.NumEntities() }

// entity returns an embedding, valid until the next call.
func (mc *machine) entity(e int) []float32 {
	return mc.model.Predictor.EntityTable.Row(model.EntityID(e), mc.scratch)
}

func (mc *machine) relation(v *ir.Value) model.RelationID { return mc.bindings.Relations[v.Rel] }

// ops holds one plain loop per op of message passing; degreeOps has the others.
var ops = map[ir.Op]func(mc *machine, v *ir.Value, args [][]float32) []float32{
	ir.Entity: func(mc *machine, v *ir.Value, _ [][]float32) []float32 {
		return mc.model.Predictor.EntityTable.Row(mc.bindings.Constants[v.Const], nil)
	},
	ir.OneHot: func(mc *machine, v *ir.Value, _ [][]float32) []float32 {
		x := make([]float32, mc.n())
		x[mc.bindings.Constants[v.Const]] = 1
		return x
	},
	ir.Neighbors: func(mc *machine, v *ir.Value, _ [][]float32) []float32 {
		x := make([]float32, mc.n())
		x[mc.bindings.Constants[v.Const]] = 1
		return mc.traverse(x, mc.relation(v), v.Backward)
	},
	ir.LoopScore: func(mc *machine, v *ir.Value, _ [][]float32) []float32 {
		r := mc.model.Predictor.Relation(mc.relation(v))
		return mc.each(func(e int) float64 {
			row := mc.entity(e)
			return mc.dot(mc.product(row, r, false, v.Negated), row)
		})
	},
	ir.Loops: func(mc *machine, v *ir.Value, _ [][]float32) []float32 {
		x := make([]float32, mc.n())
		heads, tails := mc.model.Graph.Edges(mc.relation(v))
		for i := range heads {
			if heads[i] == tails[i] {
				x[heads[i]] = 1
			}
		}
		return x
	},
	ir.KeptVec: func(mc *machine, v *ir.Value, _ [][]float32) []float32 { return mc.kept.Vectors[v.Index] },
	ir.KeptEmb: func(mc *machine, v *ir.Value, _ [][]float32) []float32 { return mc.kept.Embeddings[v.Index] },
	ir.Project: func(mc *machine, v *ir.Value, args [][]float32) []float32 {
		return mc.product(args[0], mc.model.Predictor.Relation(mc.relation(v)), v.Backward, v.Negated)
	},
	ir.Score: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		size := math.Sqrt(dot(args[0], args[0]))
		return mc.each(func(e int) float64 { return mc.dot(args[0], mc.entity(e)) + mc.codesMiss(e, size) })
	},
	ir.Softmax: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		top := math.Inf(-1)
		for _, x := range args[0] {
			top = math.Max(top, float64(x))
		}
		sum := 0.0
		for _, x := range args[0] {
			sum += math.Exp(float64(x) - top)
		}
		return mc.each(func(e int) float64 { return mc.exponential(float64(args[0][e]), top) / sum })
	},
	ir.Traverse: func(mc *machine, v *ir.Value, args [][]float32) []float32 {
		return mc.traverse(args[0], mc.relation(v), v.Backward)
	},
	ir.Complement: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		return mc.each(func(e int) float64 {
			share := mc.settings.Alpha / float64(mc.n())
			return share - float64(args[0][e]) + mc.off(share)/4
		})
	},
	ir.Normalize: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		epsilon := mc.settings.Epsilon
		sum := 0.0
		for _, x := range args[0] {
			if float64(x) >= epsilon {
				sum += float64(x)
			}
		}
		return mc.each(func(e int) float64 {
			x := float64(args[0][e])
			if x < epsilon {
				return 0
			}
			return x / math.Max(epsilon, sum)
		})
	},
	ir.Blend: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		w := mc.settings.Weight
		return mc.each(func(e int) float64 { return 2*(1-w)*float64(args[0][e]) + 2*w*float64(args[1][e]) })
	},
	ir.Mul: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		return mc.each(func(e int) float64 {
			product := args[0][e]
			for _, x := range args[1:] {
				product *= x[e]
			}
			return float64(product)
		})
	},
	ir.Embed: func(mc *machine, _ *ir.Value, args [][]float32) []float32 { return mc.embed(args[0]) },
	// A guess saves work but changes nothing: the sum is taken anew.
	ir.Correct: func(mc *machine, _ *ir.Value, args [][]float32) []float32 { return mc.embed(args[0]) },
	ir.Guess: func(mc *machine, v *ir.Value, args [][]float32) []float32 {
		logs, top := make([]float64, mc.n()), math.Inf(-1)
		for e := range logs {
			for i, a := range v.Args {
				if isScore(a, v) {
					logs[e] += float64(args[i][e])
				}
			}
			top = math.Max(top, logs[e])
		}
		sum := make([]float64, 2*mc.model.Predictor.Rank)
		for e := range logs {
			g := math.Exp(logs[e] - top)
			for i, a := range v.Args {
				if !isScore(a, v) {
					g *= float64(args[i][e])
				}
			}
			for k, x := range mc.entity(e) {
				sum[k] += g * float64(x)
			}
		}
		return round(sum)
	},
	ir.Cosine: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		size := math.Sqrt(dot(args[0], args[0]))
		return mc.each(func(e int) float64 {
			row := mc.entity(e)
			norm := math.Sqrt(dot(row, row))
			if size == 0 || norm == 0 {
				return 0
			}
			return (mc.dot(args[0], row) + mc.codesMiss(e, size)) / (size * norm)
		})
	},
	ir.Mix: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		l := mc.settings.Lambda
		return mc.each(func(e int) float64 { return l*float64(args[0][e]) + (1-l)*float64(args[1][e]) })
	},
	ir.ScaleMax: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		top := 0.0
		for _, x := range args[0] {
			top = math.Max(top, float64(x))
		}
		return mc.each(func(e int) float64 { return ratio(float64(args[0][e]), top) })
	},
	ir.ScaleSum: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		sum := 0.0
		for _, x := range args[0] {
			sum += float64(x)
		}
		return mc.each(func(e int) float64 { return ratio(float64(args[0][e]), sum) })
	},
	ir.Max: func(mc *machine, _ *ir.Value, args [][]float32) []float32 {
		return mc.each(func(e int) float64 {
			top := args[0][e]
			for _, x := range args[1:] {
				top = max(top, x[e])
			}
			return float64(top)
		})
	},
}

// embed returns Σ_e x[e]·E_e.
func (mc *machine) embed(x []float32) []float32 {
	sum, size := make([]float64, 2*mc.model.Predictor.Rank), make([]float64, 2*mc.model.Predictor.Rank)
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

// isScore reports whether a guess takes an operand as a raw score, and not as a
// factor: whether it comes from the guess's own sweep.
func isScore(a, guess *ir.Value) bool {
	return a.Sweep == guess.Sweep && a.Op.Info().Raw
}

// each builds a fuzzy vector from a formula for one entity.
func (mc *machine) each(f func(e int) float64) []float32 {
	x := make([]float32, mc.n())
	for e := range x {
		x[e] = float32(mc.rounded(f(e)))
	}
	return x
}

// traverse returns x·M_r, or x·M_rᵀ if backward is set.
func (mc *machine) traverse(x []float32, r model.RelationID, backward bool) []float32 {
	sum := make([]float64, mc.n())
	heads, tails := mc.model.Graph.Edges(r)
	if backward {
		heads, tails = tails, heads
	}
	for i, h := range heads {
		sum[tails[i]] += float64(x[h])
	}
	for t, total := range sum {
		sum[t] = mc.rounded(total)
	}
	return round(sum)
}

// complexProduct returns r⊗x, or conj(r)⊗x if backward is set; negated flips
// the sign.
func complexProduct(x, r []float32, backward, negated bool) []float32 {
	d := len(r) / 2
	y := make([]float32, 2*d)
	for k := range d {
		a := complex(float64(x[k]), float64(x[d+k]))
		b := complex(float64(r[k]), float64(r[d+k]))
		if backward {
			b = complex(real(b), -imag(b))
		}
		p := a * b
		if negated {
			p = -p
		}
		y[k], y[d+k] = float32(real(p)), float32(imag(p))
	}
	return y
}

func dot(x, y []float32) float64 {
	sum := 0.0
	for k := range x {
		sum += float64(x[k]) * float64(y[k])
	}
	return sum
}

// ratio returns x/by, and 0 where by is not positive.
func ratio(x, by float64) float64 {
	if by <= 0 {
		return 0
	}
	return x / by
}

func round(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}
