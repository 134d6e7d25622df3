package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// lowering is the name of the stage before the passes.
const lowering = "lowering"

// lowered describes lowering, by semantics.
var lowered = map[model.Semantics]string{
	model.NSMP:  "unrolls the layers as in the paper",
	model.FIT:   "eliminates the variables one by one",
	model.Mixed: "unrolls the layers as in the paper, and eliminates the variables one by one",
}

// New compiles a query for a semantics and the given number of layers, 0 for D+1, and reports on it. Errors about the
// query have positions in it.
func New(a *stages.Analysis, layers int, semantics model.Semantics) (*Report, error) {
	if a.Source.Asks() == kind.Rows {
		r := &Report{Query: a.Source.String(), Semantics: semantics, Warnings: a.Source.Warnings}
		return r, r.parts(a, layers)
	}
	part, err := a.Sole()
	if err != nil {
		return nil, err
	}
	return newPart(part, layers, semantics)
}

// Reports reports on a query of any kind: for a verdict, which New refuses, on each part.
func Reports(a *stages.Analysis, layers int, semantics model.Semantics) (list []*Report, err error) {
	if a.Source.Asks() != kind.Verdict {
		r, err := New(a, layers, semantics)
		return []*Report{r}, err
	}
	for _, part := range a.Parts {
		r, err := newPart(part, layers, semantics)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// newPart reports on a query with one answer variable.
func newPart(part *stages.Part, layers int, semantics model.Semantics) (*Report, error) {
	r := &Report{Query: part.Query.String(), Semantics: semantics, Warnings: part.Warnings}
	c, err := part.Compile(stages.Options{Layers: layers, Semantics: semantics, Observe: func(ran pass.Pass, changed bool, p *ir.Plan) {
		r.step(ran.Name, ran.Doc, changed, p)
	}})
	if err != nil {
		return nil, err
	}
	r.Shape, r.ShapeName = c.Shape.Key, stages.ShapeName(c.Shape.Key)
	first := &Report{}
	first.step(lowering, lowered[semantics], true, c.Lowered)
	r.Plans = append(first.Plans, r.Plans...)
	r.Cost.Steps = append(first.Cost.Steps, r.Cost.Steps...)
	fused, err := c.Fused()
	if err != nil {
		return nil, err
	}
	if fused != nil {
		r.Plans = append(r.Plans, Plan{After: pass.Fuse.Name + ", for small tables", Changed: true, Text: fused.String()})
	}
	for i := range c.Shape.Disjuncts {
		r.Disjuncts = append(r.Disjuncts, graph(c.Shape, i))
	}
	r.schedule(c)
	r.degrees(c.Optimized)
	r.cost(c)
	return r, nil
}

// parts reports on the parts of a query with several answer variables.
func (r *Report) parts(a *stages.Analysis, layers int) error {
	vars := a.Source.Searched().Variables()
	for _, p := range a.PartsFor(r.Semantics) {
		part, err := newPart(p, layers, p.Semantics(r.Semantics))
		if err != nil {
			return err
		}
		var given []string
		for _, v := range vars[:p.Variable] {
			given = append(given, "$"+v.Name)
		}
		asks := "probabilities of " + vars[p.Variable].Name
		if p.Disjunct >= 0 {
			asks = "degrees of " + vars[p.Variable].Name
		}
		if p.Own {
			asks = "bounds by " + vars[p.Variable].Name
		}
		if p.Disjunct >= 0 && given != nil {
			asks += " given " + strings.Join(given, ", ")
		}
		if p.Disjunct >= 0 && len(a.Source.Normal.Disjuncts) > 1 {
			asks += fmt.Sprintf(", disjunct %d", p.Disjunct+1)
		}
		var disjuncts []string
		for _, disjunct := range p.Normal.Disjuncts {
			var literals []string
			for _, l := range disjunct.Literals {
				literals = append(literals, l.AsWritten().String())
			}
			disjuncts = append(disjuncts, strings.Join(literals, " & "))
		}
		part.Query = strings.Join(disjuncts, " | ")
		r.Parts = append(r.Parts, Part{asks, part})
	}
	return nil
}

// step records the plan after a step.
func (r *Report) step(name, doc string, changed bool, p *ir.Plan) {
	r.Cost.Steps = append(r.Cost.Steps, Step{Name: name, Doc: doc, Changed: changed, Values: len(p.Values), Sweeps: p.Sweeps()})
	r.Plans = append(r.Plans, Plan{After: name, Changed: changed, Text: p.String()})
}

// degrees lists the steps of truth degrees: the rows of each sweep, and the steps on them.
func (r *Report) degrees(p *ir.Plan) {
	sweep := 0
	for _, v := range p.Values {
		switch {
		case v.Op.Info().Rows:
			if v.Sweep == sweep {
				last := &r.Degrees[len(r.Degrees)-1]
				last.What += ", " + v.Note
				continue
			}
			r.Degrees = append(r.Degrees, DegreeStep{Op: "rows", Sweep: v.Sweep, What: v.Note})
			sweep = v.Sweep
		case v.Op.Info().Degrees && v.Note != "":
			r.Degrees = append(r.Degrees, DegreeStep{Op: v.Op.String(), What: v.Note})
		}
	}
}

// schedule sets the layers of the disjuncts.
func (r *Report) schedule(c *stages.Compiled) {
	sent := messages(c.Lowered)
	origins := map[*ir.Value]Origin{}
	for i, s := range c.Schedules {
		d := &r.Disjuncts[i]
		d.L = len(s.Layers)
		for v, edges := range s.Starts {
			if edges != nil {
				d.Starts = append(d.Starts, Start{Term: s.Graph.Variables[v], Edges: edges})
			}
		}
		for l, messages := range s.Layers {
			layer := Layer{Layer: l + 1}
			for _, m := range messages {
				e := Message{Edge: m.Atom, Backward: m.Backward, From: s.Graph.TermName(m.From), To: s.Graph.TermName(m.To)}
				e.State = Pruned
				if !m.Pruned {
					e.fate(sent[0], origins, Origin{Disjunct: i, Layer: l + 1, Edge: m.Atom})
					sent = sent[1:]
				}
				r.Cost.Messages.add(e.State)
				layer.Messages = append(layer.Messages, e)
			}
			d.Layers = append(d.Layers, layer)
		}
	}
}

// messages returns the value of each message in a lowered plan, in sending order: the first of equal ones, nil if the
// answer does not depend on it.
func messages(lowered *ir.Plan) []*ir.Value {
	p := lowered.Clone()
	values := slices.Clone(p.Values)
	first := pass.Duplicates(p)
	p.Replace(first)
	live := p.Live()
	var sent []*ir.Value
	for _, v := range values {
		if v.Origin.Role != ir.MessageOf {
			continue
		}
		if f := first[v]; f != nil {
			v = f
		}
		if !live[v] {
			v = nil
		}
		sent = append(sent, v)
	}
	return sent
}

// fate determines the state of a message that is not pruned and that the plan computes as v.
func (m *Message) fate(v *ir.Value, origins map[*ir.Value]Origin, own Origin) {
	origin, known := origins[v]
	switch {
	case v == nil:
		m.State = Dead
	case known:
		m.State = Shared
		m.SharedWith = &origin
	default:
		m.State = Sent
		origins[v] = own
	}
}

// graph describes a query graph by canonical names and by the query's names.
func graph(s *lower.Shape, disjunct int) Disjunct {
	g := &s.Disjuncts[disjunct]
	names := s.Variables[disjunct]
	d := Disjunct{D: len(g.Variables)}
	for i, v := range g.Variables {
		kind := Existential
		if i == 0 {
			kind = Free
		}
		d.Terms = append(d.Terms, Term{ID: v, Name: names[i], Kind: kind})
	}
	seen := map[scq.Term]bool{}
	for _, t := range g.Terms() {
		if t.Constant && !seen[t] {
			seen[t] = true
			d.Terms = append(d.Terms, Term{ID: g.TermName(t), Name: s.Term(disjunct, t).String(), Kind: Constant})
		}
	}
	for i, a := range g.Atoms {
		l := s.Literal(disjunct, i)
		e := Edge{
			Text: g.AtomText(a), Atom: l.AsWritten().String(), Relation: "!=",
			Head: g.TermName(a.Head), Tail: g.TermName(a.Tail), Unequal: a.Unequal(),
		}
		if !a.Unequal() {
			e.Slot, e.Relation, e.Negated = "r"+strconv.Itoa(a.Relation+1), l.Relation.String(), l.Negated
		}
		if l.Reversed {
			e.ReadAs = l.String()
		}
		d.Edges = append(d.Edges, e)
	}
	for i, f := range g.Filters {
		d.Filters = append(d.Filters, FilterAtom{Text: g.FilterText(f), Condition: s.Filter(disjunct, i), Term: g.Variables[f.Variable]})
	}
	return d
}

// cost compares the plan before and after the passes.
func (r *Report) cost(c *stages.Compiled) {
	r.Cost.SweepsBefore, r.Cost.SweepsAfter, r.Cost.SweepsWhole = c.Lowered.Sweeps(), c.Optimized.Sweeps(), c.Optimized.WholeSweeps()
	before := c.Lowered.Count()
	after := c.Optimized.Count()
	for _, op := range ir.Ops() {
		if before[op] == 0 && after[op] == 0 {
			continue
		}
		info := op.Info()
		r.Cost.Ops = append(r.Cost.Ops, Op{
			Name: info.Name, Formula: info.Formula, Sweeps: info.Sweeps, Before: before[op], After: after[op],
		})
	}
}

// add counts a message.
func (n *Counts) add(s State) {
	*map[State]*int{Sent: &n.Sent, Shared: &n.Shared, Pruned: &n.Pruned, Dead: &n.Dead}[s]++
}

// total returns the number of messages that the edges could carry.
func (n Counts) total() int { return n.Sent + n.Shared + n.Pruned + n.Dead }
