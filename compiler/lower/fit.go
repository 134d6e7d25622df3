package lower

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
)

// FIT lowers a shape to truth degrees, as package fit of the runtime specifies them, by
// variable elimination:
//
//   - A leaf, a variable with at most one neighbour, is eliminated: its degrees are
//     pushed along its atoms into the neighbour (leaf). Leaves that constants inform go
//     first, for they may inform their neighbours.
//   - Where every variable left lies on a cycle, the plan conditions on one of them, a
//     member of the cutset: each of its values opens a branch, in which it is a constant
//     (condition). The answer is the best branch.
//
// The elimination order and the cutset depend on the query graph alone, not on names.
func FIT(s *Shape) *ir.Plan {
	b := &builder{plan: &ir.Plan{Shape: s.Key, Constants: len(s.Constants), Relations: len(s.Relations)}}
	for range s.SCQs {
		b.plan.Layers = append(b.plan.Layers, 0)
	}
	b.plan.Answer = b.degrees(s)
	return b.plan
}

// Mixed lowers a shape to message passing of the given number of layers and to truth
// degrees, and mixes both. Its sets are those of truth degrees.
func Mixed(s *Shape, layers int) (*ir.Plan, []*Schedule, error) {
	plan, schedules, err := NSMP(s, layers)
	if err != nil {
		return nil, nil, err
	}
	plan.Sets = nil
	b := &builder{plan: plan}
	plan.Answer = b.add(ir.Value{Op: ir.Mixture, Note: "mixture"}, plan.Answer, b.degrees(s))
	return plan, schedules, nil
}

// degrees emits the disjuncts and their union.
func (b *builder) degrees(s *Shape) *ir.Value {
	var answers []*ir.Value
	for i := range s.SCQs {
		d := newDegreeBuilder(b, i, &s.SCQs[i])
		d.constants()
		for d.next() {
		}
		d.loops(0)
		answers = append(answers, d.answer())
	}
	answer := answers[0]
	if len(answers) > 1 {
		answer = b.add(ir.Value{Op: ir.Either, Note: "union"}, answers...)
	}
	return b.add(ir.Value{Op: ir.Dense, Note: "degrees of f"}, answer)
}

// degreeBuilder emits the degrees of one disjunct.
type degreeBuilder struct {
	*builder
	scq   int
	graph *runtime.QueryGraph
	// known holds the degrees of each variable so far, nil while it is unrestricted.
	known []known
	// scales are factors of the degrees of all entities: those of components that do
	// not contain the free variable.
	scales []known
	// branches are the values of the cutset so far, nil while it is empty.
	branches *ir.Value
	done     []bool // eliminated or in the cutset
	anchored []bool // has an atom with a constant
	informed []bool // reached from a constant by atoms that are not negated
}

// known is the degrees of a variable: one fuzzy set, or one for each branch.
type known struct {
	degrees  *ir.Value
	branched bool
}

func newDegreeBuilder(b *builder, scq int, g *runtime.QueryGraph) *degreeBuilder {
	n := len(g.Variables)
	return &degreeBuilder{
		builder: b, scq: scq, graph: g, known: make([]known, n),
		done: make([]bool, n), anchored: make([]bool, n), informed: make([]bool, n),
	}
}

// restrict multiplies the degrees of v by x.
func (d *degreeBuilder) restrict(v int, x known) {
	k := &d.known[v]
	if k.degrees == nil {
		*k = x
		return
	}
	note := fmt.Sprintf("degrees of %s", d.graph.Variables[v])
	k.degrees = d.add(ir.Value{Op: ir.Times, Note: note}, k.degrees, x.degrees)
	k.branched = k.branched || x.branched
}

// of returns the degrees of v so far: any entity, while it is unrestricted.
func (d *degreeBuilder) of(v int) known {
	if k := d.known[v]; k.degrees != nil {
		return k
	}
	return known{degrees: d.add(ir.Value{Op: ir.Any})}
}

// joined returns degrees as one fuzzy set over all branches.
func (d *degreeBuilder) joined(x known) *ir.Value {
	if !x.branched {
		return x.degrees
	}
	return d.add(ir.Value{Op: ir.Join}, x.degrees, d.branches)
}

// rows emits, for each link, the rows of the candidates in top.
func (d *degreeBuilder) rows(top *ir.Value, links []reading) []*ir.Value {
	var rows []*ir.Value
	for _, l := range links {
		rows = append(rows, d.add(ir.Value{
			Op: ir.Rows, Rel: l.Relation, Backward: l.inverse, Negated: l.Negated, Index: l.atom, Note: d.text(l),
		}, top))
	}
	return rows
}

// constants emits the atoms that have constants, and marks the variables in them.
func (d *degreeBuilder) constants() {
	for i, e := range d.graph.Atoms {
		l := reading{atom: i, Atom: e, inverse: !e.Head.Constant}
		if !l.from().Constant {
			continue
		}
		row := d.add(ir.Value{
			Op: ir.Row, Const: l.from().Index, Rel: e.Relation, Backward: l.inverse, Negated: e.Negated, Index: i, Note: d.text(l),
		})
		v := l.to().Index
		d.restrict(v, known{degrees: row})
		d.anchored[v] = true
		if !e.Negated {
			d.informed[v] = true
		}
	}
}

// loops emits the atoms r(v,v).
func (d *degreeBuilder) loops(v int) {
	var links []reading
	for i, e := range d.graph.Atoms {
		if e.Head == e.Tail && e.Head == runtime.Var(v) {
			links = append(links, reading{atom: i, Atom: e})
		}
	}
	if links == nil {
		return
	}
	top := d.add(ir.Value{Op: ir.Best}, d.joined(d.of(v)))
	for _, rows := range d.rows(top, links) {
		d.restrict(v, known{degrees: d.add(ir.Value{Op: ir.Diagonal}, rows)})
	}
}

// next eliminates one existential variable or conditions on it; it reports false if
// there is none left.
func (d *degreeBuilder) next() bool {
	leaf, cut := -1, -1
	for u := 1; u < len(d.done); u++ {
		if d.done[u] {
			continue
		}
		// An informed leaf goes first: it may inform another.
		if len(d.neighbors(u)) <= 1 && (leaf < 0 || d.informed[u] && !d.informed[leaf]) {
			leaf = u
		}
		if cut < 0 || d.rather(u, cut) {
			cut = u
		}
	}
	switch {
	case leaf >= 0:
		d.leaf(leaf)
	case cut >= 0:
		d.condition(cut)
	}
	return cut >= 0
}

// finish takes u out of the graph and returns its degrees, which become a set of the
// plan if u is informed.
func (d *degreeBuilder) finish(u int) known {
	d.loops(u)
	d.done[u] = true
	k := d.of(u)
	if d.informed[u] {
		name := d.graph.Variables[u]
		set := d.add(ir.Value{Op: ir.Dense, Note: "degrees of " + name}, d.joined(k))
		d.plan.Sets = append(d.plan.Sets, ir.Set{SCQ: d.scq, Variable: name, Value: set})
	}
	return k
}

// leaf eliminates a variable: it pushes its degrees into its neighbour, or, without one,
// scales all by the largest.
func (d *degreeBuilder) leaf(u int) {
	k, vs, name := d.finish(u), d.neighbors(u), d.graph.Variables[u]
	if len(vs) == 0 {
		k.degrees = d.add(ir.Value{Op: ir.Peak, Index: u, Note: "the best " + name}, k.degrees)
		d.scales = append(d.scales, k)
		return
	}
	links := d.between(u, vs[0])
	top, push := ir.Every, ir.Leaf
	if d.informed[u] {
		top, push = ir.Best, ir.Push
		d.informed[vs[0]] = d.informed[vs[0]] || positive(links)
	}
	rows := d.rows(d.add(ir.Value{Op: top, Note: "candidates of " + name}, d.joined(k)), links)
	note := fmt.Sprintf("%s -> %s by %s", name, d.graph.Variables[vs[0]], d.text(links...))
	k.degrees = d.add(ir.Value{Op: push, Index: u, Note: note}, append([]*ir.Value{k.degrees}, rows...)...)
	d.restrict(vs[0], k)
}

// condition adds u to the cutset: each of its values opens a branch, in which it is a
// constant.
func (d *degreeBuilder) condition(u int) {
	k, vs, name := d.finish(u), d.neighbors(u), d.graph.Variables[u]
	candidates := []*ir.Value{d.joined(k)}
	for _, v := range vs {
		if links := d.between(v, u); !d.informed[u] && d.informed[v] && positive(links) {
			candidates = append(candidates, d.proposal(v, u, links))
		}
	}
	top := d.add(ir.Value{Op: ir.Values, Note: "values of " + name}, candidates...)
	var each [][]*ir.Value
	for _, v := range vs {
		each = append(each, d.rows(top, d.between(u, v)))
	}
	parents := d.branches
	if parents == nil {
		parents = d.add(ir.Value{Op: ir.Root, Note: "one branch"})
	}
	d.branches = d.add(ir.Value{Op: ir.Branch, Index: u, Note: "a branch for each " + name}, k.degrees, top, parents)
	for v := range d.known {
		if !d.done[v] {
			d.follow(&d.known[v])
		}
	}
	for i := range d.scales {
		d.follow(&d.scales[i])
	}
	for i, v := range vs {
		links := d.between(u, v)
		note := fmt.Sprintf("each %s -> %s by %s", name, d.graph.Variables[v], d.text(links...))
		x := d.add(ir.Value{Op: ir.Each, Note: note}, append([]*ir.Value{d.branches}, each[i]...)...)
		d.restrict(v, known{x, true})
		d.informed[v] = d.informed[v] || positive(links)
	}
}

// proposal emits the candidates for u that follow from those of v, which is informed.
func (d *degreeBuilder) proposal(v, u int, links []reading) *ir.Value {
	k := d.of(v)
	rows := d.rows(d.add(ir.Value{Op: ir.Best, Note: "candidates of " + d.graph.Variables[v]}, d.joined(k)), links)
	note := fmt.Sprintf("%s proposes values of %s", d.graph.Variables[v], d.graph.Variables[u])
	k.degrees = d.add(ir.Value{Op: ir.Push, Index: v, Note: note}, append([]*ir.Value{k.degrees}, rows...)...)
	return d.joined(k)
}

// follow carries degrees of the parent branches over to the new ones.
func (d *degreeBuilder) follow(k *known) {
	if k.branched {
		k.degrees = d.add(ir.Value{Op: ir.Follow}, k.degrees, d.branches)
	}
}

// answer emits the degrees of the free variable.
func (d *degreeBuilder) answer() *ir.Value {
	for _, s := range d.scales {
		d.restrict(0, s)
	}
	k := d.of(0)
	if d.branches != nil {
		return d.add(ir.Value{Op: ir.Join, Note: "the best branch"}, k.degrees, d.branches)
	}
	return k.degrees
}
