// Package interpreted runs plans on the kernels of the runtime, op by op: it makes the
// calls that generated code would make, on the same buffers, with a table look-up
// before each. It answers queries of shapes that have no generated code, and
// plans that nothing has optimised, for comparison.
//
// It is not what answers are checked against: that is package reference, which shares no
// kernel with it.
package interpreted

import (
	"fmt"

	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Program is a plan that is ready to run.
type Program struct {
	// Vectors and Embeddings are the numbers of scratch buffers it needs.
	Vectors, Embeddings int

	steps   []step
	answer  int
	sets    []int
	degrees int // registers for the ops of truth degrees
}

// step is one op with its buffers, or a sweep.
type step struct {
	op     ir.Op
	dst    int
	shadow int // of a guess
	args   []operand
	// sweep holds the ops that share a pass over the table; op is not set then. rows
	// says that they make rows of truth degrees.
	sweep []step
	rows  bool
	// constant and relation are slots, index is that of the op.
	constant, relation, index int
	direction                 model.Direction
	sign                      model.Sign
	// links are those of the message that a score is of, if linked is set.
	links  operand
	linked bool
}

// operand is a buffer, or the embedding of a constant, which is read from the
// table.
type operand struct {
	buffer   int
	shadow   int // of a guess
	constant int
	entity   bool
}

// New prepares a verified plan.
func New(p *ir.Plan) (*Program, error) {
	b := alloc.Assign(p)
	x := &Program{Vectors: b.Vectors, Embeddings: b.Embeddings, answer: b.Slot[p.Answer]}
	x.registers(p, b)
	sweep := 0
	for i, v := range p.Values {
		if v.Op == ir.Entity {
			continue // read where it is used
		}
		if !runs(v) {
			return nil, fmt.Errorf("internal error: v%d: no kernel for %s", i, v.Op)
		}
		s, rows := newStep(v, b), v.Op.Info().Rows
		if links := p.Links(v); links != nil {
			s.links, s.linked = operand{buffer: b.Slot[links]}, true
		}
		switch {
		case v.Sweep == 0 && !rows:
			x.steps = append(x.steps, s)
		case v.Sweep == sweep && v.Sweep > 0:
			group := &x.steps[len(x.steps)-1]
			group.sweep = append(group.sweep, s)
		default:
			x.steps = append(x.steps, step{sweep: []step{s}, rows: rows})
		}
		sweep = v.Sweep
	}
	for _, s := range p.Sets {
		x.sets = append(x.sets, b.Slot[s.Value])
	}
	return x, nil
}

func newStep(v *ir.Value, b *alloc.Buffers) step {
	s := step{
		op: v.Op, dst: b.Slot[v], shadow: b.Shadow[v], constant: v.Const, relation: v.Rel, index: v.Index,
		direction: model.Direction(v.Backward), sign: model.Sign(v.Negated),
	}
	for _, a := range v.Args {
		s.args = append(s.args, operand{buffer: b.Slot[a], shadow: b.Shadow[a], constant: a.Const, entity: a.Op == ir.Entity})
	}
	return s
}

// Run runs the program in a workspace that has the scratch buffers it needs.
func (x *Program) Run(w *query.Workspace) error {
	if x.degrees > 0 {
		x.start(w)
	}
	for i := range x.steps {
		s := &x.steps[i]
		if s.rows {
			s.makeRows(w)
			continue
		}
		if s.sweep != nil {
			sweep := w.Sweep()
			for j := range s.sweep {
				parts[s.sweep[j].op](w, sweep, &s.sweep[j])
			}
			sweep.Run()
			continue
		}
		calls[s.op](w, s)
	}
	w.SetAnswer(w.Vector(x.answer))
	for i, slot := range x.sets {
		w.SetFuzzySet(i, w.Vector(slot))
	}
	return w.Err()
}

// vector returns operand i as a fuzzy vector.
func (s *step) vector(w *query.Workspace, i int) query.Vector { return w.Vector(s.args[i].buffer) }

// embedding returns operand i as an embedding.
func (s *step) embedding(w *query.Workspace, i int) query.Embedding {
	if a := s.args[i]; !a.entity {
		return w.Embedding(a.buffer)
	}
	return w.Entity(w.Constant(s.args[i].constant))
}

// calls holds the call for each op, nil for those that compute nothing.
var calls = [...]func(w *query.Workspace, s *step){
	ir.OneHot: func(w *query.Workspace, s *step) { w.OneHot(w.Vector(s.dst), w.Constant(s.constant)) },
	ir.Neighbors: func(w *query.Workspace, s *step) {
		w.Neighbors(w.Vector(s.dst), w.Constant(s.constant), w.Relation(s.relation), s.direction)
	},
	ir.LoopScore: func(w *query.Workspace, s *step) {
		w.LoopScore(w.Vector(s.dst), w.Relation(s.relation), s.sign)
	},
	ir.Loops: func(w *query.Workspace, s *step) { w.Loops(w.Vector(s.dst), w.Relation(s.relation)) },
	ir.Project: func(w *query.Workspace, s *step) {
		w.Project(w.Embedding(s.dst), s.embedding(w, 0), w.Relation(s.relation), s.direction, s.sign)
	},
	ir.Score:   func(w *query.Workspace, s *step) { w.Score(w.Vector(s.dst), s.embedding(w, 0)) },
	ir.Softmax: func(w *query.Workspace, s *step) { w.Softmax(w.Vector(s.dst), s.vector(w, 0)) },
	ir.Traverse: func(w *query.Workspace, s *step) {
		w.Traverse(w.Vector(s.dst), s.vector(w, 0), w.Relation(s.relation), s.direction)
	},
	ir.Complement: func(w *query.Workspace, s *step) { w.Complement(w.Vector(s.dst), s.vector(w, 0)) },
	ir.Normalize:  func(w *query.Workspace, s *step) { w.Normalize(w.Vector(s.dst), s.vector(w, 0)) },
	ir.Blend:      func(w *query.Workspace, s *step) { w.Blend(w.Vector(s.dst), s.vector(w, 0), s.vector(w, 1)) },
	ir.Mul:        func(w *query.Workspace, s *step) { pairwise(w, s, w.Mul) },
	ir.Embed:      func(w *query.Workspace, s *step) { w.Embed(w.Embedding(s.dst), s.vector(w, 0)) },
	ir.Correct: func(w *query.Workspace, s *step) {
		if len(s.args) == 2 {
			w.Correct(w.Embedding(s.dst), s.vector(w, 0), w.Vector(s.args[1].shadow))
		} else {
			w.Correct2(w.Embedding(s.dst), s.vector(w, 0), w.Vector(s.args[1].shadow), s.embedding(w, 2), w.Vector(s.args[2].shadow))
		}
	},
	ir.Cosine:   func(w *query.Workspace, s *step) { w.Cosine(w.Vector(s.dst), s.embedding(w, 0)) },
	ir.Mix:      func(w *query.Workspace, s *step) { w.Mix(w.Vector(s.dst), s.vector(w, 0), s.vector(w, 1)) },
	ir.ScaleMax: func(w *query.Workspace, s *step) { w.ScaleMax(w.Vector(s.dst), s.vector(w, 0)) },
	ir.ScaleSum: func(w *query.Workspace, s *step) { w.ScaleSum(w.Vector(s.dst), s.vector(w, 0)) },
	ir.Max:      func(w *query.Workspace, s *step) { pairwise(w, s, w.Max) },

	ir.Any:   func(w *query.Workspace, s *step) { s.result(w).Set = w.Degrees().Any() },
	ir.Peak:  func(w *query.Workspace, s *step) { s.result(w).Set = w.Degrees().Peak(s.index, s.set(w, 0)) },
	ir.Best:  func(w *query.Workspace, s *step) { s.result(w).Candidates = w.Degrees().Best(s.set(w, 0)) },
	ir.Every: func(w *query.Workspace, s *step) { s.result(w).Candidates = w.Degrees().Every(s.set(w, 0)) },
	ir.Values: func(w *query.Workspace, s *step) {
		s.result(w).Candidates = w.Degrees().Values(s.set(w, 0), s.operandSets(w, 1)...)
	},
	ir.Diagonal: func(w *query.Workspace, s *step) { s.result(w).Set = w.Degrees().Diagonal(s.operandRows(w, 0)[0]) },
	ir.Push: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Push(s.index, s.set(w, 0), s.operandRows(w, 1)...)
	},
	ir.Narrow: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Narrow(s.index, s.set(w, 0), s.set(w, 1), s.operandRows(w, 2)...)
	},
	ir.Leaf: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Leaf(s.index, s.set(w, 0), s.operandRows(w, 1)...)
	},
	ir.Root: func(w *query.Workspace, s *step) { s.result(w).Branches = w.Degrees().Root() },
	ir.Branch: func(w *query.Workspace, s *step) {
		s.result(w).Branches = w.Degrees().Branch(s.index, s.set(w, 0), s.operand(w, 1).Candidates, s.operand(w, 2).Branches)
	},
	ir.Each: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Each(s.operand(w, 0).Branches, s.operandRows(w, 1)...)
	},
	ir.Follow: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Follow(s.set(w, 0), s.operand(w, 1).Branches)
	},
	ir.Join: func(w *query.Workspace, s *step) {
		s.result(w).Set = w.Degrees().Join(s.set(w, 0), s.operand(w, 1).Branches)
	},
	ir.Times:  func(w *query.Workspace, s *step) { s.result(w).Set = w.Degrees().Times(s.operandSets(w, 0)...) },
	ir.Either: func(w *query.Workspace, s *step) { s.result(w).Set = w.Degrees().Either(s.operandSets(w, 0)...) },
	ir.Dense:  func(w *query.Workspace, s *step) { w.Degrees().Dense(w.Vector(s.dst), s.set(w, 0)) },
	ir.Mixture: func(w *query.Workspace, s *step) {
		w.Degrees().Mixture(w.Vector(s.dst), s.vector(w, 0), s.vector(w, 1))
	},
}

// parts holds, for each op that a sweep can share, how it is added to one.
var parts = [...]func(w *query.Workspace, sweep *query.Sweep, s *step){
	ir.Score: func(w *query.Workspace, sweep *query.Sweep, s *step) {
		score := sweep.Score(w.Vector(s.dst), s.embedding(w, 0))
		if s.linked {
			sweep.Links(score, w.Vector(s.links.buffer))
		}
	},
	ir.LoopScore: func(w *query.Workspace, sweep *query.Sweep, s *step) {
		sweep.LoopScore(w.Vector(s.dst), w.Relation(s.relation), s.sign)
	},
	ir.Embed: func(w *query.Workspace, sweep *query.Sweep, s *step) {
		sweep.Embed(w.Embedding(s.dst), s.vector(w, 0))
	},
	ir.Guess: func(w *query.Workspace, sweep *query.Sweep, s *step) {
		sweep.Guess(w.Embedding(s.dst), w.Vector(s.shadow))
		for i := range s.args {
			sweep.Factor(s.vector(w, i))
		}
	},
	ir.Cosine: func(w *query.Workspace, sweep *query.Sweep, s *step) {
		sweep.Cosine(w.Vector(s.dst), s.embedding(w, 0))
	},
	ir.Max: nil, // the table has an entry for every op
}

// pairwise applies an op of two operands to two or more of them.
func pairwise(w *query.Workspace, s *step, op func(dst, x, y query.Vector, more ...query.Vector) query.Vector) {
	dst := w.Vector(s.dst)
	op(dst, s.vector(w, 0), s.vector(w, 1))
	for i := range s.args[2:] {
		op(dst, dst, s.vector(w, i+2))
	}
}
