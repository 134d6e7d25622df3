package lower

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/scq"
)

// FIT lowers a shape to truth degrees, as package fit of the runtime specifies them, by
// variable elimination:
//
//   - A leaf, a variable with at most one neighbour, is eliminated: its degrees are
//     pushed along its atoms into the neighbour (leaf). Leaves informed by constants come
//     first, because they may inform their neighbours.
//   - If every remaining variable lies on a cycle, the plan conditions on a member of a
//     minimal cutset: each of its values opens a branch, in which the variable is a constant
//     (condition), unless the value is a dead end. The answer is the best branch.
//
// The elimination order and the cutset depend only on the query graph, not on names.
//
// In r1(s1,e1) & r2(s2,f) & r3(e1,f), atoms with constants come first, and then e1 is a leaf:
//
//	v0 = row s1 r1          r1(s1,e1), the degrees of e1
//	v1 = row s2 r2          r2(s2,f), the degrees of f so far
//	v3 = best v0            the candidates of e1, and for each
//	v4 = rows v3 r3         a row of r3(e1,f)
//	v5 = push v0 v4         e1 -> f: the best candidate for each f
//	v6 = times v1 v5        the degrees of f, and nothing is left to eliminate
//
// In r1(s1,e1) & r2(e1,e2) & r3(e1,f) & r4(e2,f), the cycle e1, e2, f has no leaf. The plan conditions on e1,
// which a constant informs; e2 is then a leaf:
//
//	v2 = values v0 #512     the values of e1, with rows
//	v3 = rows v2 r3         r3(e1,f)
//	v4 = rows v2 r2         r2(e1,e2)
//	v6 = branch v0 v2 v5 v3 v4    a branch for each value that leads on by r3 and r2
//	v7 = each v6 v3         f in each branch, as if e1 were a constant
//	v8 = each v6 v4         e2 in each branch
//	…                       e2 -> f in each branch, by r4(e2,f)
//	v16 = join v15 v6       the best branch
func FIT(s *Shape) *ir.Plan {
	b := newBuilder(s)
	for range s.Disjuncts {
		b.plan.Layers = append(b.plan.Layers, 0)
	}
	b.plan.Answer = b.degrees(s)
	return b.plan
}

// Mixed lowers a shape to message passing with the given number of layers and to truth degrees, and mixes both.
// Its sets are the sets of the truth degrees.
func Mixed(s *Shape, layers int) (*ir.Plan, []*Schedule, error) {
	plan, schedules, err := NSMP(s, layers)
	if err != nil {
		return nil, nil, err
	}
	plan.Sets = nil
	b := &builder{plan, shapeNames{s.Disjuncts}}
	plan.Answer = b.add(ir.Value{Op: ir.Mixture, Origin: ir.Origin{Role: ir.MixtureOf}}, plan.Answer, b.degrees(s))
	return plan, schedules, nil
}

// degrees emits the disjuncts and their union.
func (b *builder) degrees(s *Shape) *ir.Value {
	var answers []*ir.Value
	for i := range s.Disjuncts {
		d := newDegreeBuilder(b, i, &s.Disjuncts[i])
		d.constants()
		d.filters()
		d.eliminate()
		d.loops(0)
		answers = append(answers, d.answer())
	}
	answer := answers[0]
	if len(answers) > 1 {
		answer = b.add(ir.Value{Op: ir.Either, Origin: ir.Origin{Role: ir.UnionOf}}, answers...)
	}
	return b.add(ir.Value{Op: ir.Dense, Origin: ir.Origin{Role: ir.DegreesOf}}, answer)
}

// filters emits the degrees to which entities meet the filters.
func (d *degreeBuilder) filters() {
	for i, f := range d.graph.Filters {
		origin := d.origin(ir.Meeting, f.Variable)
		origin.Filter = i
		d.restrict(f.Variable, known{degrees: d.add(ir.Value{Op: ir.Selected, Filter: f.Slot, Origin: origin})})
	}
}

// constants emits the atoms with constants.
func (d *degreeBuilder) constants() {
	for i, a := range d.graph.Atoms {
		l := directions(i, a)[0]
		if !l.from.Constant {
			l = directions(i, a)[1]
		}
		if !l.from.Constant {
			continue
		}
		if a.Unequal() {
			except := d.add(ir.Value{Op: ir.Except, Const: l.from.Index, Origin: d.reads(ir.Excluded, l)})
			d.restrict(l.to.Index, known{degrees: except})
			continue
		}
		row := d.add(ir.Value{
			Op: ir.Row, Const: l.from.Index, Rel: a.Relation, Backward: l.inverse, Negated: a.Negated, Index: i, Origin: d.reads(ir.RowOf, l),
		})
		v := l.to.Index
		d.restrict(v, known{degrees: row})
		d.variables[v].constant = true
		d.inform(v, []directedEdge{l})
	}
}

// loops emits the atoms r(v,v).
func (d *degreeBuilder) loops(v int) {
	var links []directedEdge
	for i, a := range d.graph.Atoms {
		if a.Head == a.Tail && a.Head == scq.Var(v) {
			links = append(links, directions(i, a)[0])
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

// answer emits the degrees of the free variable.
func (d *degreeBuilder) answer() *ir.Value {
	for _, s := range d.scales {
		d.restrict(0, s)
	}
	k := d.of(0)
	if d.branches != nil {
		return d.add(ir.Value{Op: ir.Join, Origin: ir.Origin{Role: ir.JoinOf, Disjunct: d.disjunct}}, k.degrees, d.branches)
	}
	return k.degrees
}
