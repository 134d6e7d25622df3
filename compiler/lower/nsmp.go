package lower

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/scq"
)

// maxMessages bounds the messages of a plan over all layers and disjuncts.
const maxMessages = 20_000

// NSMP unrolls a shape into a plan, layer by layer as in the paper. It neither shares nor drops values; the
// passes do. layers is L for every disjunct, 0 for D+1. The error is a Refusal: L layers are too few for a
// message to reach the free variable, or the plan would be too large.
func NSMP(s *Shape, layers int) (*ir.Plan, []*Schedule, error) {
	b := newBuilder(s)
	var schedules []*Schedule
	var answers []*ir.Value
	messages := 0
	for i := range s.Disjuncts {
		sch := NewSchedule(&s.Disjuncts[i], layers)
		if need := sch.layersNeeded(); len(sch.Layers) < need {
			return nil, nil, Refuse(fmt.Sprintf("choose %d or more, or leave the number out for one more than there are variables", need),
				"layers is %d, but no message reaches the free variable before layer %d", layers, need)
		}
		messages += sch.Sent
		if messages > maxMessages {
			return nil, nil, Refuse("use fewer disjuncts, atoms or layers", "the layers of this query send more than %d messages", maxMessages)
		}
		schedules = append(schedules, sch)
		b.plan.Layers = append(b.plan.Layers, len(sch.Layers))
		answers = append(answers, b.disjunct(i, sch))
	}
	b.plan.Answer = b.union(answers)
	return b.plan, schedules, nil
}

// builder appends values to a plan.
type builder struct {
	plan  *ir.Plan
	names shapeNames
}

func newBuilder(s *Shape) *builder {
	plan := &ir.Plan{Shape: s.Key, Constants: len(s.Constants), Relations: len(s.Relations), Filters: len(s.Filters)}
	return &builder{plan, shapeNames{s.Disjuncts}}
}

// state is the state of a term: a fuzzy vector and an embedding, nil while it is
// uninitialised.
type state struct {
	sym, emb *ir.Value
}

func (b *builder) add(v ir.Value, args ...*ir.Value) *ir.Value {
	v.Args = args
	v.Note = v.Origin.Text(b.names)
	b.plan.Values = append(b.plan.Values, &v)
	return &v
}

// disjunct emits the layers of one disjunct and its readout.
func (b *builder) disjunct(index int, s *Schedule) *ir.Value {
	g := s.Graph
	constants := map[int]state{}
	states := make([]state, len(g.Variables))
	heard := s.LastHeard()
	sets := make([]*ir.Value, len(g.Variables))
	for v, atoms := range s.Starts {
		if atoms != nil {
			states[v] = b.start(index, g, v, atoms)
		}
	}
	for l, messages := range s.Layers {
		inbox := make([][]*ir.Value, len(g.Variables))
		for _, m := range messages {
			if m.Pruned {
				continue
			}
			from := b.sender(index, constants, states, m.From)
			inbox[m.To.Index] = append(inbox[m.To.Index], b.message(index, g, m, from, l+1))
		}
		for v, received := range inbox {
			if len(received) > 0 {
				received = append(received, b.filters(index, g, v)...)
				states[v] = b.update(received, ir.Origin{Disjunct: index, Layer: l + 1, To: ir.Term{Index: v}})
			}
		}
		for v := range heard {
			if heard[v] == l+1 {
				sets[v] = states[v].sym
			}
		}
	}
	for v := 1; v < len(sets); v++ {
		if sets[v] != nil {
			b.plan.Sets = append(b.plan.Sets, ir.Set{Disjunct: index, Variable: g.Variables[v], Value: sets[v]})
		}
	}
	return b.readout(index, g, constants, states[0])
}

// filters emits the degrees to which entities meet the filters of a variable. A layer combines them with other messages
// only, because they carry little information about the variable.
func (b *builder) filters(index int, g *scq.Disjunct, v int) (messages []*ir.Value) {
	for i, f := range g.Filters {
		if f.Variable == v {
			origin := ir.Origin{Role: ir.Meeting, Disjunct: index, To: ir.Term{Index: v}, Filter: i}
			messages = append(messages, b.add(ir.Value{Op: ir.Factors, Filter: f.Slot, Origin: origin}))
		}
	}
	return messages
}

// readout emits the answer of one disjunct: λ·s + (1−λ)·softmax(cos), and 0 for entities excluded by
// inequalities and filters.
func (b *builder) readout(index int, g *scq.Disjunct, constants map[int]state, y state) *ir.Value {
	cos := b.add(ir.Value{Op: ir.Cosine}, y.emb)
	near := b.add(ir.Value{Op: ir.Softmax}, cos)
	answer := b.add(ir.Value{Op: ir.Mix, Origin: ir.Origin{Role: ir.AnswerOf, Disjunct: index}}, y.sym, near)
	factors := []*ir.Value{answer}
	for i, a := range g.Atoms {
		if a.Unequal() && a.Head == scq.Var(0) && a.Tail.Constant {
			from := b.sender(index, constants, nil, a.Tail)
			origin := ir.Origin{Role: ir.Excluded, Disjunct: index, Edges: []ir.Edge{{Index: i}}}
			factors = append(factors, b.add(ir.Value{Op: ir.Elsewhere, Origin: origin}, from.sym))
		}
	}
	factors = append(factors, b.filters(index, g, 0)...)
	if len(factors) == 1 {
		return answer
	}
	product := b.add(ir.Value{Op: ir.Mul}, factors...)
	return b.add(ir.Value{Op: ir.ScaleSum, Origin: ir.Origin{Role: ir.AllowedOf, Disjunct: index}}, product)
}

// sender returns the state of a message's sender. For a constant, that is its embedding and its one-hot vector
// in every layer.
func (b *builder) sender(index int, constants map[int]state, states []state, t scq.Term) state {
	if !t.Constant {
		return states[t.Index]
	}
	st, ok := constants[t.Index]
	if !ok {
		origin := ir.Origin{Role: ir.Slot, Disjunct: index, From: ir.Term(t)}
		st = state{
			emb: b.add(ir.Value{Op: ir.Entity, Const: t.Index, Origin: origin}),
			sym: b.add(ir.Value{Op: ir.OneHot, Const: t.Index, Origin: origin}),
		}
		constants[t.Index] = st
	}
	return st
}

// message emits N(f(ρ) + μ) for one edge in one direction, and 1 − s for an inequality.
func (b *builder) message(index int, g *scq.Disjunct, m Message, from state, layer int) *ir.Value {
	origin := ir.Origin{Role: ir.MessageOf, Disjunct: index, Layer: layer, From: ir.Term(m.From), To: ir.Term(m.To), Edges: []ir.Edge{{Index: m.Atom}}}
	e := g.Atoms[m.Atom]
	if e.Unequal() {
		return b.add(ir.Value{Op: ir.Elsewhere, Origin: origin}, from.sym)
	}
	var scores, sparse *ir.Value
	if e.Head == e.Tail {
		scores = b.add(ir.Value{Op: ir.LoopScore, Rel: e.Relation, Negated: e.Negated})
		sparse = b.add(ir.Value{Op: ir.Loops, Rel: e.Relation})
	} else {
		to := b.add(ir.Value{Op: ir.Project, Rel: e.Relation, Backward: m.Backward, Negated: e.Negated}, from.emb)
		scores = b.add(ir.Value{Op: ir.Score}, to)
		sparse = b.add(ir.Value{Op: ir.Traverse, Rel: e.Relation, Backward: m.Backward}, from.sym)
	}
	neural := b.add(ir.Value{Op: ir.Softmax}, scores)
	if e.Negated {
		sparse = b.add(ir.Value{Op: ir.Complement}, sparse)
	}
	symbolic := b.add(ir.Value{Op: ir.Normalize}, sparse)
	sum := b.add(ir.Value{Op: ir.Blend}, neural, symbolic)
	return b.add(ir.Value{Op: ir.Normalize, Origin: origin}, sum)
}

// update emits s = N(m_1 ∘ … ∘ m_k) and n = Σ_e s[e]·E_e.
func (b *builder) update(messages []*ir.Value, of ir.Origin) state {
	product := messages[0]
	if len(messages) > 1 {
		product = b.add(ir.Value{Op: ir.Mul}, messages...)
	}
	of.Role = ir.StateOf
	sym := b.add(ir.Value{Op: ir.Normalize, Origin: of}, product)
	of.Role = ir.EmbeddedOf
	return state{sym: sym, emb: b.add(ir.Value{Op: ir.Embed, Origin: of}, sym)}
}

// union scales each disjunct to its maximum, takes the element-wise maximum and divides it by its sum. A single
// disjunct is the answer unchanged.
func (b *builder) union(answers []*ir.Value) *ir.Value {
	if len(answers) == 1 {
		return answers[0]
	}
	var scaled []*ir.Value
	for _, a := range answers {
		scaled = append(scaled, b.add(ir.Value{Op: ir.ScaleMax}, a))
	}
	top := b.add(ir.Value{Op: ir.Max}, scaled...)
	return b.add(ir.Value{Op: ir.ScaleSum, Origin: ir.Origin{Role: ir.UnionOf}}, top)
}
