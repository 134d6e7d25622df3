package lower

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/scq"
)

// degreeBuilder emits the degrees of one disjunct.
type degreeBuilder struct {
	*builder
	disjunct  int
	graph     *scq.Disjunct
	variables []variable
	// scales are factors of the degrees of all entities, from components that do not contain the free variable.
	scales []known
	// branches are the values of the cutset so far, nil if it is empty.
	branches *ir.Value
	values   *ir.Value // of the last cutset member
}

// variable is the current state of a variable of the disjunct.
type variable struct {
	// known holds its degrees; nil if it is unrestricted so far.
	known
	done     bool // eliminated or in the cutset
	constant bool // a relational atom links it to a constant
	informed bool // connected to a constant by positive atoms
}

// known is the degrees of a variable: one fuzzy set, or one per branch.
type known struct {
	degrees  *ir.Value
	branched bool
}

func newDegreeBuilder(b *builder, disjunct int, g *scq.Disjunct) *degreeBuilder {
	return &degreeBuilder{builder: b, disjunct: disjunct, graph: g, variables: make([]variable, len(g.Variables))}
}

// name returns the name of a variable in the shape.
func (d *degreeBuilder) name(v int) string { return d.graph.Variables[v] }

// origin returns the Origin of a value that describes v.
func (d *degreeBuilder) origin(r ir.Role, v int) ir.Origin {
	return ir.Origin{Role: r, Disjunct: d.disjunct, To: ir.Term{Index: v}}
}

// reads returns the Origin of a value computed from links that are read in the same direction.
func (d *degreeBuilder) reads(r ir.Role, links ...directedEdge) ir.Origin {
	o := ir.Origin{Role: r, Disjunct: d.disjunct, From: ir.Term(links[0].from), To: ir.Term(links[0].to)}
	for _, l := range links {
		o.Edges = append(o.Edges, ir.Edge{Index: l.atom, Inverse: l.inverse})
	}
	return o
}

// inform marks v as informed if one of the links into it is positive.
func (d *degreeBuilder) inform(v int, links []directedEdge) {
	d.variables[v].informed = d.variables[v].informed || positive(links)
}

// restrict multiplies the degrees of v by x.
func (d *degreeBuilder) restrict(v int, x known) {
	k := &d.variables[v].known
	if k.degrees == nil {
		*k = x
		return
	}
	k.degrees = d.add(ir.Value{Op: ir.Times, Origin: d.origin(ir.DegreesOf, v)}, k.degrees, x.degrees)
	k.branched = k.branched || x.branched
}

// of returns the degrees of v so far, 1 everywhere if v is unrestricted.
func (d *degreeBuilder) of(v int) known {
	if k := d.variables[v].known; k.degrees != nil {
		return k
	}
	return known{degrees: d.add(ir.Value{Op: ir.Any})}
}

// joined combines degrees into one fuzzy set over all branches.
func (d *degreeBuilder) joined(x known) *ir.Value {
	if !x.branched {
		return x.degrees
	}
	return d.add(ir.Value{Op: ir.Join}, x.degrees, d.branches)
}

// rows emits, for each link, the rows of the candidates in top.
func (d *degreeBuilder) rows(top *ir.Value, links []directedEdge) []*ir.Value {
	var rows []*ir.Value
	for _, l := range links {
		if l.Unequal() {
			rows = append(rows, d.add(ir.Value{Op: ir.Others, Origin: d.reads(ir.RowOf, l)}, top))
			continue
		}
		rows = append(rows, d.add(ir.Value{
			Op: ir.Rows, Rel: l.Relation, Backward: l.inverse, Negated: l.Negated, Index: l.atom, Origin: d.reads(ir.RowOf, l),
		}, top))
	}
	return rows
}

// push pushes k, the known degrees of u, along the rows of u's candidates.
func (d *degreeBuilder) push(op ir.Op, u int, origin ir.Origin, k known, rows []*ir.Value) known {
	k.degrees = d.add(ir.Value{Op: op, Index: u, Origin: origin}, append([]*ir.Value{k.degrees}, rows...)...)
	return k
}
