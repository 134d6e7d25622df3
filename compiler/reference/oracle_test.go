package reference

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Names resolves the names in a query.
type Names interface {
	Entity(t ast.Term) graph.EntityID
	Relation(r ast.Relation) graph.RelationID
	Selection(f ast.Condition) *model.Selection
}

// Tuples scores rows of a query with several answer variables, directly from its formula: the degree of a row is the
// largest product of literals over all assignments of the existential variables. From the queries that engines search
// with, it takes only the direction in which an atom is read. It is for small graphs, and stores all rows of every
// entity.
type Tuples struct {
	machine   *machine
	query     *lang.Query
	names     Names
	semantics model.Semantics
	marginals [][]float32 // of each answer variable; nil for model.FIT
	disjuncts [][]tupleLiteral
	read      map[string]fuzzy
}

// tupleLiteral is a literal without ^-1, and its reading direction.
type tupleLiteral struct {
	ast.Literal
	backward bool
}

// NewTuples prepares a query that Normalize accepts.
func NewTuples(ctx context.Context, m *model.Model, q *lang.Query, by model.Semantics, s model.Settings, names Names) (*Tuples, error) {
	x := &Tuples{query: q, names: names, semantics: by, read: map[string]fuzzy{}}
	x.machine = &machine{model: m, settings: s, scratch: make([]float32, 2*m.Predictor.Rank)}
	for d, disjunct := range q.Normal.Disjuncts {
		var literals []tupleLiteral
		backward := ends(q, d)
		for _, l := range disjunct.Literals {
			l = l.Forward()
			literals = append(literals, tupleLiteral{l, backward(l)})
		}
		x.disjuncts = append(x.disjuncts, literals)
	}
	for i := range q.Variables() {
		if by == model.FIT {
			break
		}
		shape := lower.NewShape(lower.Order(q.Marginal(i).Normal))
		plan, _, err := lower.NSMP(shape, s.Layers)
		if err != nil {
			return nil, err
		}
		r, err := Run(ctx, plan, m, s, bindings(shape, names))
		if err != nil {
			return nil, err
		}
		x.marginals = append(x.marginals, r.Answer)
	}
	return x, nil
}

// bindings fills the slots of a shape.
func bindings(s *lower.Shape, names Names) (b scq.Bindings) {
	for _, t := range s.Constants {
		b.Constants = append(b.Constants, names.Entity(t))
	}
	for _, f := range s.Filters {
		b.Filters = append(b.Filters, names.Selection(f))
	}
	for _, r := range s.Relations {
		b.Relations = append(b.Relations, names.Relation(r))
	}
	return b
}

// ends returns a function that reports whether a literal without ^-1 is read from its tail. Atoms of the last searched
// variable and of existential ones are read as in its plan; others from an entity, or from the variable that is
// searched first.
func ends(q *lang.Query, disjunct int) func(l ast.Literal) bool {
	searched := q.Searched()
	variables := searched.Variables()
	last := len(variables) - 1
	shape := lower.NewShape(lower.Order(searched.Given(disjunct, last, false).Normal))
	fromTail := map[string]bool{}
	for _, v := range lower.FIT(shape).Values {
		if v.Op != ir.Row && v.Op != ir.Rows {
			continue
		}
		l := shape.Literal(0, v.Index)
		for _, t := range l.Terms() {
			if given := searched.GivenVariable(t.Name); t.Kind == ast.Parameter && given >= 0 {
				*t = variables[given]
			}
		}
		fromTail[l.Forward().String()] = v.Backward != l.Relation.Inverse
	}
	place := func(t ast.Term) int {
		if t.Kind != ast.Variable {
			return -1
		}
		return slices.IndexFunc(variables, func(v ast.Term) bool { return v.Name == t.Name })
	}
	return func(l ast.Literal) bool {
		if backward, ok := fromTail[l.String()]; ok {
			return backward
		}
		return place(l.Tail) < place(l.Head)
	}
}

// Score returns the score of a row, in the order of the query's variables, and whether inequalities exclude it.
func (x *Tuples) Score(row []graph.EntityID) (score float64, excluded bool) {
	none := 1.0
	out := 0
	for _, literals := range x.disjuncts {
		if x.excludes(literals, row) {
			out++
			continue
		}
		none *= 1 - x.degree(literals, row)
	}
	degree := 1 - none
	p := 1.0
	for i, marginal := range x.marginals {
		p *= float64(marginal[row[i]])
	}
	excluded = out == len(x.disjuncts)
	switch x.semantics {
	case model.NSMP:
		return p, excluded
	case model.FIT:
		return degree, excluded
	}
	g := x.machine.truth().Mixture
	mixed := func(p, d float64) float64 {
		return math.Pow(p+1e-12, 1-g)*math.Pow(d+1e-6, g) - math.Pow(1e-12, 1-g)*math.Pow(1e-6, g)
	}
	return mixed(p, degree) / mixed(1, 1), excluded
}

// excludes reports whether an inequality or a filter excludes a row.
func (x *Tuples) excludes(literals []tupleLiteral, row []graph.EntityID) bool {
	given := x.given(row)
	return slices.ContainsFunc(literals, func(l tupleLiteral) bool {
		h := x.value(l.Head, given)
		switch {
		case l.Kind == ast.LinkAtom || h < 0:
			return false
		case l.Kind == ast.FilterAtom:
			return x.names.Selection(l.Condition).Factor(h) == 0
		}
		return h == x.value(l.Tail, given)
	})
}

// degree returns the largest product of the literals over all assignments of the existential variables.
func (x *Tuples) degree(literals []tupleLiteral, row []graph.EntityID) float64 {
	given := x.given(row)
	var open []string
	for _, l := range literals {
		for _, t := range l.Terms() {
			if _, bound := given[t.Name]; t.Kind == ast.Variable && !bound && !slices.Contains(open, t.Name) {
				open = append(open, t.Name)
			}
		}
	}
	return x.best(literals, open, given)
}

// best is degree over the unassigned variables open.
func (x *Tuples) best(literals []tupleLiteral, open []string, given map[string]graph.EntityID) float64 {
	if len(open) == 0 {
		product := 1.0
		for _, l := range literals {
			product *= x.literal(l, given)
		}
		return product
	}
	most := 0.0
	for e := range x.machine.n() {
		given[open[0]] = graph.EntityID(e)
		most = max(most, x.best(literals, open[1:], given))
	}
	delete(given, open[0])
	return most
}

// literal returns the degree of a literal.
func (x *Tuples) literal(l tupleLiteral, given map[string]graph.EntityID) float64 {
	h := x.value(l.Head, given)
	if l.Kind == ast.FilterAtom {
		return float64(x.names.Selection(l.Condition).Factor(h))
	}
	t := x.value(l.Tail, given)
	if l.Kind == ast.SameAtom {
		return 1 - indicator(h == t)
	}
	r := x.names.Relation(l.Relation)
	if l.backward {
		h, t, r = t, h, r.Inverse()
	}
	key := fmt.Sprint(h, r, l.Negated)
	links, ok := x.read[key]
	if !ok {
		links = x.machine.row(int(h), r, l.Negated)
		x.read[key] = links
	}
	return float64(links.deg[t])
}

// given maps the answer variables to the row's entities.
func (x *Tuples) given(row []graph.EntityID) map[string]graph.EntityID {
	given := map[string]graph.EntityID{}
	for i, v := range x.query.Variables() {
		given[v.Name] = row[i]
	}
	return given
}

// value returns the entity that a term denotes, -1 for an unassigned variable.
func (x *Tuples) value(t ast.Term, given map[string]graph.EntityID) graph.EntityID {
	if t.Kind != ast.Variable {
		return x.names.Entity(t)
	}
	if e, ok := given[t.Name]; ok {
		return e
	}
	return -1
}
