// Package interpreted runs plans op by op on the kernels of the runtime. It makes the same calls on the same
// buffers as generated code, each through a pointer to a function. It answers queries whose shapes have no
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

	steps     []step
	tiled     bool       // see ir.Plan.Tiled
	results   []plan.Vec // the answer and the sets
	registers int        // for the ops of truth degrees
}

// step is an op with the numbers of its values, or a group of ops.
type step struct {
	run     func(c call)
	dst     int
	weights plan.Vec // of an estimate
	// The operands, by space. The embeddings that are estimates are also in estimates.
	vectors    []plan.Vec
	embeddings []plan.Emb
	estimates  []plan.Estimate
	registers  []int
	// constant, relation and filter are slots, index is the index of the op.
	constant, relation, filter, index int
	direction                         graph.Direction
	sign                              graph.Sign
	// links are the links of the message that a score belongs to, if any.
	links []plan.Vec

	// group holds the ops that share a sweep of the table, or a loop over its tiles.
	group []step
	loop  bool
	// exchanges says that the level's exchange follows the step.
	exchanges bool
}

// New prepares a verified plan.
func New(p *ir.Plan) (*Program, error) {
	b := alloc.Assign(p)
	x := &Program{Vectors: b.Vectors, Embeddings: b.Embeddings, Places: b.Places, tiled: p.Tiled()}
	x.number(p, b)
	last := map[int]int{} // value of each exchange
	for i, v := range p.Values {
		last[v.Exchange] = i
	}
	sweep := 0
	for i, v := range p.Values {
		if alloc.Unbuffered(v) {
			continue // read in place
		}
		s := newStep(v, b)
		s.run = x.call(v)
		if s.run == nil {
			return nil, fmt.Errorf("internal error: v%d: no kernel for %s", i, v.Op)
		}
		if links := p.Links(v); links != nil {
			s.links = []plan.Vec{vector(links, b)}
		}
		x.add(s, v, v.Sweep > 0 && v.Sweep == sweep)
		sweep = v.Sweep
		if v.Exchange > 0 && last[v.Exchange] == i {
			x.steps[len(x.steps)-1].exchanges = true
		}
	}
	for _, v := range p.Results() {
		x.results = append(x.results, vector(v, b))
	}
	return x, nil
}

// add appends the step of a value. continues says that the step before shares its sweep.
func (x *Program) add(s step, v *ir.Value, continues bool) {
	if v.Op.Info().Sweeps == 0 {
		x.steps = append(x.steps, s)
		return
	}
	loop := x.tiled && !v.Op.Info().Rows
	if !continues || x.steps[len(x.steps)-1].loop != loop {
		x.steps = append(x.steps, step{loop: loop})
	}
	group := &x.steps[len(x.steps)-1]
	group.group = append(group.group, s)
}

func newStep(v *ir.Value, b *alloc.Buffers) step {
	s := step{
		dst: b.Number[v], weights: plan.Vec(b.Weights[v]), constant: v.Const, relation: v.Rel, filter: v.Filter, index: v.Index,
		direction: graph.Direction(v.Backward), sign: graph.Sign(v.Negated),
	}
	for _, a := range v.Args {
		switch a.Space() {
		case ir.Entities:
			s.vectors = append(s.vectors, vector(a, b))
		case ir.Embedding:
			s.embeddings = append(s.embeddings, embedding(a, b))
			if a.Op == ir.Estimate {
				s.estimates = append(s.estimates, plan.Estimate{Sum: embedding(a, b), Weights: plan.Vec(b.Weights[a])})
			}
		default:
			s.registers = append(s.registers, b.Number[a])
		}
	}
	return s
}

// vector and embedding return the runtime's number of a value.
func vector(v *ir.Value, b *alloc.Buffers) plan.Vec { return plan.Vec(b.Number[v]) }

func embedding(v *ir.Value, b *alloc.Buffers) plan.Emb {
	if v.Op == ir.Entity {
		return plan.EntityEmb(v.Const)
	}
	return plan.Emb(b.Number[v])
}

// Run runs the program in a workspace with enough scratch buffers.
func (x *Program) Run(w *plan.Workspace) error {
	if x.registers > 0 {
		x.start(w)
	}
	r := run{Workspace: w}
	if x.tiled {
		r.tiles = w.Tiles()
	}
	for i := range x.steps {
		s := &x.steps[i]
		switch {
		case s.group == nil:
			s.run(call{&r, s})
		case s.loop:
			for r.tiles.Next() {
				r.all(s.group)
			}
		default:
			r.sweep = w.Sweep()
			r.all(s.group)
			r.sweep.Run()
		}
		if s.exchanges {
			w.Exchange()
		}
	}
	for i, v := range x.results {
		if i == 0 {
			w.SetAnswer(v)
		} else {
			w.SetFuzzySet(i-1, v)
		}
	}
	return w.Err()
}

// run is a run of a program, with the sweep that it is describing, and the tiles if the program is tiled.
type run struct {
	*plan.Workspace
	sweep *plan.Sweep
	tiles *plan.Tiles
}

// all runs the ops of a group.
func (r *run) all(group []step) {
	for i := range group {
		group[i].run(call{r, &group[i]})
	}
}

// call is a step in a run.
type call struct {
	*run
	*step
}

// out and outEmb return the result, a vector or an embedding.
func (c call) out() plan.Vec    { return plan.Vec(c.dst) }
func (c call) outEmb() plan.Emb { return plan.Emb(c.dst) }

// con, rel and selection return the contents of the slots.
func (c call) con() graph.EntityID         { return c.Constant(c.constant) }
func (c call) rel() graph.RelationID       { return c.Relation(c.relation) }
func (c call) selection() *model.Selection { return c.Filter(c.filter) }
