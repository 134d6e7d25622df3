// Package interpreted runs plans op by op on the kernels of the runtime. It makes the same calls on the same
// buffers as generated code, with a table look-up before each. It answers queries whose shapes have no
// generated code, and runs unoptimised plans for comparison.
//
// Do not test answers against it: it shares kernels with generated code. Package reference shares none.
package interpreted

import (
	"fmt"

	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Program is a plan prepared for execution.
type Program struct {
	// Vectors and Embeddings are the numbers of scratch buffers it needs.
	Vectors, Embeddings int
	// Places is copied to plan.Plan.
	Places []int32

	steps   []step
	results []operand // the answer and the sets; empty for a plan run at binding
	keeps   []kept
	degrees int // registers for the ops of truth degrees
}

// step is one op with the numbers of its values, or a sweep.
type step struct {
	op      ir.Op
	dst     int
	weights int // of an estimate
	args    []operand
	// sweep holds the ops that share a sweep of the table; op is then unset.
	sweep []step
	// exchanges says that the level's exchange follows the step.
	exchanges bool
	// constant, relation and filter are slots, index is the index of the op.
	constant, relation, filter, index int
	direction                         graph.Direction
	sign                              graph.Sign
	// links are the links of the message that a score belongs to, if any.
	links []operand
}

// operand is a numbered value, the embedding of a constant, or a value kept by binding.
type operand struct {
	number  int
	weights int // of an estimate
	op      ir.Op
}

func newOperand(v *ir.Value, b *alloc.Buffers) operand {
	switch v.Op {
	case ir.Entity:
		return operand{number: v.Const, op: v.Op}
	case ir.KeptVec, ir.KeptEmb:
		return operand{number: v.Index, op: v.Op}
	}
	return operand{b.Number[v], b.Weights[v], v.Op}
}

// kept is a result that binding keeps, and its number.
type kept struct {
	operand
	number    int
	embedding bool
}

// New prepares a verified plan.
func New(p *ir.Plan) (*Program, error) {
	b := alloc.Assign(p)
	x := &Program{Vectors: b.Vectors, Embeddings: b.Embeddings, Places: b.Places}
	x.registers(p, b)
	last := map[int]int{} // value of each exchange
	for i, v := range p.Values {
		last[v.Exchange] = i
	}
	sweep := 0
	for i, v := range p.Values {
		if alloc.Unbuffered(v) {
			continue // read in place
		}
		if !runs(v) {
			return nil, fmt.Errorf("internal error: v%d: no kernel for %s", i, v.Op)
		}
		s := newStep(v, b)
		if links := p.Links(v); links != nil {
			s.links = []operand{newOperand(links, b)}
		}
		switch {
		case v.Sweep == 0 && !v.Op.Info().Rows:
			x.steps = append(x.steps, s)
		case v.Sweep == sweep && v.Sweep > 0:
			group := &x.steps[len(x.steps)-1]
			group.sweep = append(group.sweep, s)
		default:
			x.steps = append(x.steps, step{sweep: []step{s}})
		}
		sweep = v.Sweep
		if v.Exchange > 0 && last[v.Exchange] == i {
			x.steps[len(x.steps)-1].exchanges = true
		}
	}
	if p.Answer != nil {
		x.results = append(x.results, newOperand(p.Answer, b))
	}
	for _, s := range p.Sets {
		x.results = append(x.results, newOperand(s.Value, b))
	}
	numbers := map[ir.Space]int{}
	for _, v := range p.Keeps {
		x.keeps = append(x.keeps, kept{newOperand(v, b), numbers[v.Space()], v.Space() == ir.Embedding})
		numbers[v.Space()]++
	}
	return x, nil
}

func newStep(v *ir.Value, b *alloc.Buffers) step {
	s := step{
		op: v.Op, dst: b.Number[v], weights: b.Weights[v], constant: v.Const, relation: v.Rel, filter: v.Filter, index: v.Index,
		direction: graph.Direction(v.Backward), sign: graph.Sign(v.Negated),
	}
	for _, a := range v.Args {
		s.args = append(s.args, newOperand(a, b))
	}
	return s
}

// Run runs the program in a workspace with enough scratch buffers.
func (x *Program) Run(w *plan.Workspace) error {
	if x.degrees > 0 {
		x.start(w)
	}
	for i := range x.steps {
		s := &x.steps[i]
		switch {
		case s.sweep != nil:
			sweep := w.Sweep()
			for j := range s.sweep {
				parts[s.sweep[j].op](call{w, &s.sweep[j]}, sweep)
			}
			sweep.Run()
		default:
			calls[s.op](call{w, s})
		}
		if s.exchanges {
			w.Exchange()
		}
	}
	for i, r := range x.results {
		if i == 0 {
			w.SetAnswer(vector(w, r))
		} else {
			w.SetFuzzySet(i-1, vector(w, r))
		}
	}
	for _, k := range x.keeps {
		if k.embedding {
			w.KeepEmbedding(k.number, embedding(w, k.operand))
		} else {
			w.KeepVector(k.number, vector(w, k.operand))
		}
	}
	return w.Err()
}

// vector and embedding return the runtime's handle of an operand.
func vector(w *plan.Workspace, o operand) plan.Vec {
	if o.op == ir.KeptVec {
		return w.KeptVector(o.number)
	}
	return plan.Vec(o.number)
}

func embedding(w *plan.Workspace, o operand) plan.Emb {
	switch o.op {
	case ir.KeptEmb:
		return w.KeptEmbedding(o.number)
	case ir.Entity:
		return w.Entity(o.number)
	}
	return plan.Emb(o.number)
}

// call is a step in a workspace.
type call struct {
	*plan.Workspace
	*step
}

// out and outEmb return the result, a vector or an embedding.
func (c call) out() plan.Vec    { return plan.Vec(c.dst) }
func (c call) outEmb() plan.Emb { return plan.Emb(c.dst) }

// vec and emb return operand i, a vector or an embedding.
func (c call) vec(i int) plan.Vec { return vector(c.Workspace, c.args[i]) }
func (c call) emb(i int) plan.Emb { return embedding(c.Workspace, c.args[i]) }

// estimate returns operand i as an estimate.
func (c call) estimate(i int) plan.Estimate {
	return plan.Estimate{Sum: c.emb(i), Weights: plan.Vec(c.args[i].weights)}
}

// con, rel and selection return the contents of the slots.
func (c call) con() graph.EntityID         { return c.Constant(c.constant) }
func (c call) rel() graph.RelationID       { return c.Relation(c.relation) }
func (c call) selection() *model.Selection { return c.Filter(c.filter) }

// calls holds the call for each op, nil for ops without a computation.
var calls = [...]func(c call){
	ir.OneHot:     func(c call) { c.OneHot(c.out(), c.con()) },
	ir.Factors:    func(c call) { c.Factors(c.out(), c.selection()) },
	ir.Neighbors:  func(c call) { c.Neighbors(c.out(), c.con(), c.rel(), c.direction) },
	ir.LoopScore:  func(c call) { c.LoopScore(c.out(), c.rel(), c.sign) },
	ir.Loops:      func(c call) { c.Loops(c.out(), c.rel()) },
	ir.Ends:       func(c call) { c.Ends(c.out(), c.rel(), c.direction) },
	ir.Project:    func(c call) { c.Project(c.outEmb(), c.emb(0), c.rel(), c.direction, c.sign) },
	ir.Score:      func(c call) { c.Score(c.out(), c.emb(0)) },
	ir.Softmax:    func(c call) { c.Softmax(c.out(), c.vec(0)) },
	ir.Traverse:   func(c call) { c.Traverse(c.out(), c.vec(0), c.rel(), c.direction) },
	ir.Complement: func(c call) { c.Complement(c.out(), c.vec(0)) },
	ir.Elsewhere:  func(c call) { c.Elsewhere(c.out(), c.vec(0)) },
	ir.Normalize:  func(c call) { c.Normalize(c.out(), c.vec(0)) },
	ir.Blend:      func(c call) { c.Blend(c.out(), c.vec(0), c.vec(1)) },
	ir.Mul:        func(c call) { c.pairwise(c.Mul) },
	ir.Embed:      func(c call) { c.Embed(c.outEmb(), c.vec(0)) },
	ir.Correct: func(c call) {
		if len(c.args) == 2 {
			c.Correct(c.outEmb(), c.vec(0), c.estimate(1))
		} else {
			c.Correct(c.outEmb(), c.vec(0), c.estimate(1), c.estimate(2))
		}
	},
	ir.Cosine:   func(c call) { c.Cosine(c.out(), c.emb(0)) },
	ir.Mix:      func(c call) { c.Mix(c.out(), c.vec(0), c.vec(1)) },
	ir.Readout:  func(c call) { c.Readout(c.out(), c.vec(0), c.emb(1)) },
	ir.ScaleMax: func(c call) { c.ScaleMax(c.out(), c.vec(0)) },
	ir.ScaleSum: func(c call) { c.ScaleSum(c.out(), c.vec(0)) },
	ir.Max:      func(c call) { c.pairwise(c.Max) },

	ir.Any:      func(c call) { c.result().Set = c.Degrees().Any() },
	ir.Except:   func(c call) { c.result().Set = c.Degrees().Except(c.con()) },
	ir.Selected: func(c call) { c.result().Set = c.Degrees().Selected(c.selection()) },
	ir.Peak:     func(c call) { c.result().Set = c.Degrees().Peak(c.index, c.set(0)) },
	ir.Best:     func(c call) { c.result().Candidates = c.Degrees().Best(c.set(0)) },
	ir.Every:    func(c call) { c.result().Candidates = c.Degrees().Every(c.set(0)) },
	ir.Values:   func(c call) { c.result().Candidates = c.Degrees().Values(c.index, c.set(0), c.sets(1)...) },
	ir.Others:   func(c call) { c.result().Rows = c.Degrees().Others(c.operand(0).Candidates) },
	ir.Diagonal: func(c call) { c.result().Set = c.Degrees().Diagonal(c.bands(0)[0]) },
	ir.Push:     func(c call) { c.result().Set = c.Degrees().Push(c.index, c.set(0), c.bands(1)...) },
	ir.Narrow:   func(c call) { c.result().Set = c.Degrees().Narrow(c.index, c.set(0), c.set(1), c.bands(2)...) },
	ir.Leaf:     func(c call) { c.result().Set = c.Degrees().Leaf(c.index, c.set(0), c.bands(1)...) },
	ir.Other:    func(c call) { c.result().Set = c.Degrees().Other(c.index, c.set(0)) },
	ir.Root:     func(c call) { c.result().Branches = c.Degrees().Root() },
	ir.Branch: func(c call) {
		c.result().Branches = c.Degrees().Branch(c.index, c.set(0), c.operand(1).Candidates, c.operand(2).Branches, c.bands(3)...)
	},
	ir.Each:    func(c call) { c.result().Set = c.Degrees().Each(c.operand(0).Branches, c.bands(1)...) },
	ir.Follow:  func(c call) { c.result().Set = c.Degrees().Follow(c.set(0), c.operand(1).Branches) },
	ir.Join:    func(c call) { c.result().Set = c.Degrees().Join(c.set(0), c.operand(1).Branches) },
	ir.Times:   func(c call) { c.result().Set = c.Degrees().Times(c.sets(0)...) },
	ir.Either:  func(c call) { c.result().Set = c.Degrees().Either(c.sets(0)...) },
	ir.Dense:   func(c call) { c.Dense(c.out(), c.set(0)) },
	ir.Mixture: func(c call) { c.Mixture(c.out(), c.vec(0), c.vec(1)) },
}

// parts holds, for each op that can share a sweep, the function that adds it to one.
var parts = [...]func(c call, s *plan.Sweep){
	ir.Score: func(c call, s *plan.Sweep) {
		if len(c.links) > 0 {
			s.Score(c.out(), c.emb(0), vector(c.Workspace, c.links[0]))
		} else {
			s.Score(c.out(), c.emb(0))
		}
	},
	ir.LoopScore: func(c call, s *plan.Sweep) { s.LoopScore(c.out(), c.rel(), c.sign) },
	ir.Embed:     func(c call, s *plan.Sweep) { s.Embed(c.outEmb(), c.vec(0)) },
	ir.Estimate: func(c call, s *plan.Sweep) {
		s.Estimate(c.outEmb(), plan.Vec(c.weights))
		for i := range c.args {
			s.Factor(c.vec(i))
		}
	},
	ir.Cosine: func(c call, s *plan.Sweep) { s.Cosine(c.out(), c.emb(0)) },
	ir.Row: func(c call, s *plan.Sweep) {
		if len(c.args) > 0 {
			c.result().Set = s.Row(c.con(), c.rel(), c.direction, c.sign, c.index, c.vec(0))
		} else {
			c.result().Set = s.Row(c.con(), c.rel(), c.direction, c.sign, c.index)
		}
	},
	ir.Rows: func(c call, s *plan.Sweep) {
		c.result().Rows = s.Rows(c.rel(), c.direction, c.sign, c.index, c.operand(0).Candidates)
	},
}

// pairwise applies a binary op to two or more operands.
func (c call) pairwise(op func(dst, x, y plan.Vec, more ...plan.Vec) plan.Vec) {
	dst := c.out()
	op(dst, c.vec(0), c.vec(1))
	for i := range c.args[2:] {
		op(dst, dst, c.vec(i+2))
	}
}
