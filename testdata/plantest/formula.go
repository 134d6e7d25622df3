package plantest

import (
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// Options bound the queries that Formula draws.
type Options struct {
	// Entities and Relations are the numbers of names: entities "0", "1", … and
	// relations "0", "1", ….
	Entities, Relations int
	// Atoms is about how many atoms a query has at most; 0 means 8.
	Atoms int
	// Disjuncts bounds the disjuncts of the normal form; 0 means 6.
	Disjuncts int
	// Name makes the query a template of that name, perhaps with parameters:
	// the entities a and b, the relations p and q, and with Values the number n.
	Name string
	// Values says that filters by the values of random models are drawn.
	Values bool
	// Answers is the number of answer variables: y, z1, z2, …; 0 means one.
	Answers int
}

// EntityParams and RelationParams are the parameters that templates may have.
var (
	EntityParams   = []string{"a", "b"}
	RelationParams = []string{"p", "q"}
)

// NumberParam is the number that templates may have as a parameter, and NumberValue its value.
const (
	NumberParam = "n"
	NumberValue = 2
)

// Formula draws a query that lang.Normalize accepts, with every construct of EFO1:
// inverses, negation, disjunction, nested and repeated quantifiers, parallel
// edges, self loops, cycles, existential leaves, variables that no entity anchors,
// inequalities, and paths and choices of relations, which stand for several of these.
func Formula(t *rapid.T, o Options) *lang.Query {
	return Formulas(o).Draw(t, "query")
}

// Formulas is the generator behind Formula.
func Formulas(o Options) *rapid.Generator[*lang.Query] {
	if o.Atoms == 0 {
		o.Atoms = 8
	}
	if o.Disjuncts == 0 {
		o.Disjuncts = 6
	}
	return rapid.Custom(func(t *rapid.T) *lang.Query {
		g := &formulaGen{Options: o, t: t}
		q := &lang.Query{Name: o.Name, Free: "y"}
		q.Formula = g.tied("y", nil, 3)
		for tied := []string{"y"}; len(tied) < o.Answers; {
			z := variable(fmt.Sprintf("z%d", len(tied)))
			q.Formula = conjunction([]ast.Formula{q.Formula, g.tied(z.Name, tied, 2)})
			q.Others = append(q.Others, z)
			tied = append(tied, z.Name)
		}
		for _, v := range q.Variables() {
			if g.Values && g.Answers > 0 && g.chance(2) {
				q.Formula = conjunction([]ast.Formula{q.Formula, g.filter([]string{v.Name})})
			}
		}
		q.Params = g.params
		return q
	}).Filter(func(q *lang.Query) bool {
		return q.Normalize() == nil && len(q.Normal.Disjuncts) <= o.Disjuncts
	})
}

// formulaGen draws one formula.
type formulaGen struct {
	Options
	t      *rapid.T
	atoms  int
	params []lang.Param
}

// tied draws a formula that ties the variable v to an entity or to one of the
// tied variables, in each of its disjuncts, or now and then to a variable that nothing
// else ties, and says perhaps more of them.
func (g *formulaGen) tied(v string, tied []string, depth int) ast.Formula {
	return conjunction(g.extras([]ast.Formula{g.tie(v, tied, depth)}, 2, append(slices.Clip(tied), v), depth))
}

// extras adds formulas over tied variables, each with chance 1/n.
func (g *formulaGen) extras(args []ast.Formula, n int, tied []string, depth int) []ast.Formula {
	for g.atoms < g.Atoms && g.chance(n) {
		args = append(args, g.extra(tied, depth, true))
	}
	return args
}

// tie draws what ties v.
func (g *formulaGen) tie(v string, tied []string, depth int) ast.Formula {
	kind := g.intn("tie", 8)
	if depth == 0 || g.atoms >= g.Atoms {
		kind = 0
	}
	switch {
	case kind == 1 && len(tied) > 0:
		return g.link(variable(v), variable(g.pick("tied", tied)))
	case kind >= 2 && kind <= 5:
		// Through a new variable.
		x := g.fresh(append(slices.Clip(tied), v))
		link := g.link(variable(x), variable(v))
		body := []ast.Formula{g.tied(x, tied, depth-1), link}
		return exists(x, g.extras(body, 3, append(slices.Clip(tied), v, x), depth-1)...)
	case kind == 6:
		return disjunction(g.tied(v, tied, depth-1), g.tied(v, tied, depth-1))
	case kind == 7 && g.chance(2):
		// By its link alone.
		x := g.fresh(append(slices.Clip(tied), v))
		link := g.link(variable(x), variable(v))
		return exists(x, g.extras([]ast.Formula{link}, 2, []string{v, x}, depth-1)...)
	}
	return g.link(variable(v), g.entity())
}

// extra draws a formula over variables that are tied already; positive says
// that quantifiers may stand in it.
func (g *formulaGen) extra(tied []string, depth int, positive bool) ast.Formula {
	if g.chance(5) {
		return g.unequal(tied)
	}
	if g.Values && g.chance(5) {
		return g.filter(tied)
	}
	kind := g.intn("extra", 8)
	if depth == 0 || g.atoms >= g.Atoms {
		kind = 0
	}
	switch {
	case kind == 1:
		return &ast.Not{Arg: g.extra(tied, depth-1, false)}
	case kind == 2:
		return disjunction(g.extra(tied, depth-1, positive), g.extra(tied, depth-1, positive))
	case kind == 3:
		return conjunction([]ast.Formula{g.extra(tied, depth-1, positive), g.extra(tied, depth-1, positive)})
	case kind == 4 && positive:
		// A leaf, or a part that is tied once more.
		x := g.fresh(tied)
		link := g.link(variable(x), variable(g.pick("tied", tied)))
		if g.chance(2) {
			return exists(x, link, g.extra(append(slices.Clip(tied), x), depth-1, true))
		}
		return exists(x, link)
	case kind == 5 && positive:
		// A part of its own: it rules out all entities or none.
		x := g.fresh(tied)
		return exists(x, g.tied(x, nil, depth-1))
	case kind == 6:
		x := variable(g.pick("loop", tied))
		return g.literal(x, x)
	case kind == 7 || len(tied) == 1:
		return g.literal(variable(g.pick("tied", tied)), g.entity())
	}
	first, second := g.two(tied)
	return g.literal(variable(first), variable(second))
}

// two picks two variables, which are different if there are two.
func (g *formulaGen) two(tied []string) (first, second string) {
	i := g.intn("first", len(tied))
	j := i
	if len(tied) > 1 {
		j = (i + 1 + g.intn("second", len(tied)-1)) % len(tied)
	}
	return tied[i], tied[j]
}

// link draws a literal between two different terms or, once in eight times, a path of several steps
// or none.
func (g *formulaGen) link(s, t ast.Term) ast.Formula {
	if !g.chance(8) {
		return g.literal(s, t)
	}
	p := &ast.Path{Relations: []ast.Relation{g.relation()}, Least: g.intn("least", 3), Head: s, Tail: t}
	if t.Kind != ast.Variable { // nothing is equal to an entity
		p.Least = max(1, p.Least)
	}
	p.Most = max(1, p.Least+g.intn("more", 2))
	if p.Least == p.Most && p.Most == 1 {
		p.Relations = append(p.Relations, g.relation())
	}
	g.atoms += len(p.Relations) * p.Most
	return p
}

// literal draws an atom or a choice of two between two terms in either direction, perhaps negated.
func (g *formulaGen) literal(s, t ast.Term) ast.Formula {
	g.atoms++
	if g.chance(2) {
		s, t = t, s
	}
	var a ast.Formula = &ast.Atom{Relation: g.relation(), Head: s, Tail: t}
	if g.chance(16) {
		a = &ast.Path{Relations: []ast.Relation{g.relation(), g.relation()}, Least: 1, Most: 1, Head: s, Tail: t}
		g.atoms++
	}
	if g.chance(4) {
		return &ast.Not{Arg: a}
	}
	return a
}

// unequal draws an inequality of a tied variable and an entity or another tied variable,
// perhaps negated.
func (g *formulaGen) unequal(tied []string) ast.Formula {
	g.atoms++
	first, second := g.two(tied)
	u := &ast.Unequal{Left: variable(first), Right: variable(second)}
	if first == second || g.chance(2) {
		u.Right = g.entity()
	}
	if g.chance(2) {
		u.Left, u.Right = u.Right, u.Left
	}
	if g.chance(6) {
		return &ast.Not{Arg: u}
	}
	return u
}

// filter draws a filter of a tied variable, perhaps negated.
func (g *formulaGen) filter(tied []string) ast.Formula {
	g.atoms++
	f := &ast.Filter{Condition: ast.Condition{Attribute: Attribute, Unknown: g.chance(3)}}
	value := g.intn("value", MaxValue+1)
	by := ast.Comparison{Operator: g.pick("operator", []string{"<", "<=", ">", ">=", "=", "!="}), Value: strconv.Itoa(value)}
	if g.Name != "" && g.chance(2) {
		by.Value = g.param([]string{NumberParam}, kind.Number)
		by.Param = true
	}
	f.Comparisons = []ast.Comparison{by}
	if g.chance(4) { // a range
		ends := ast.Ranges[g.pick("range", []string{"..", "<..", "..<", "<..<"})]
		f.Comparisons[0].Operator = ends[0]
		f.Comparisons = append(f.Comparisons, ast.Comparison{Operator: ends[1], Value: strconv.Itoa(value + 1 + g.intn("wide", MaxValue))})
	}
	f.Subject = variable(g.pick("tied", tied))
	if g.chance(4) {
		return &ast.Not{Arg: f}
	}
	return f
}

func (g *formulaGen) relation() ast.Relation {
	r := ast.Relation{Inverse: g.chance(4)}
	if g.Name != "" && g.chance(3) {
		r.Name, r.Param = g.param(RelationParams, kind.Relation), true
		return r
	}
	r.Name = strconv.Itoa(g.intn("relation", g.Relations))
	return r
}

func (g *formulaGen) entity() ast.Term {
	if g.Name != "" && g.chance(3) {
		return ast.Term{Kind: ast.Parameter, Name: g.param(EntityParams, kind.Entity)}
	}
	return ast.Term{Kind: ast.Constant, Name: strconv.Itoa(g.intn("entity", g.Entities))}
}

// param draws one of the parameters and declares it where it is new.
func (g *formulaGen) param(names []string, k kind.Param) string {
	p := lang.Param{Name: g.pick("param", names), Kind: k}
	if !slices.Contains(g.params, p) {
		g.params = append(g.params, p)
	}
	return p.Name
}

// fresh returns the name of a variable that is not in scope. Siblings share
// names.
func (g *formulaGen) fresh(scope []string) string {
	for i := 1; ; i++ {
		if x := fmt.Sprintf("x%d", i); !slices.Contains(scope, x) {
			return x
		}
	}
}

func (g *formulaGen) pick(label string, from []string) string {
	return from[g.intn(label, len(from))]
}

// chance is true once in n times, and false when a failing case is made small.
func (g *formulaGen) chance(n int) bool { return g.intn("chance", n) == n-1 }

// intn draws a number below n, 1 ≤ n ≤ 64, about evenly: rapid's own ranges
// prefer small numbers, and large formulas would be rare.
func (g *formulaGen) intn(label string, n int) int {
	v := 0
	for range 6 {
		v *= 2
		if rapid.Bool().Draw(g.t, label) {
			v++
		}
	}
	return v * n / 64
}

func variable(name string) ast.Term { return ast.Term{Kind: ast.Variable, Name: name} }

// exists quantifies a variable of a conjunction.
func exists(x string, args ...ast.Formula) ast.Formula {
	return &ast.Exists{Vars: []ast.Term{variable(x)}, Body: conjunction(args)}
}

// conjunction joins formulas as the parser would: nested ones are joined in.
func conjunction(args []ast.Formula) ast.Formula {
	flat := flatten(args, func(f *ast.And) []ast.Formula { return f.Args })
	if len(flat) == 1 {
		return flat[0]
	}
	return &ast.And{Args: flat}
}

// disjunction joins two formulas as the parser would.
func disjunction(f, g ast.Formula) ast.Formula {
	return &ast.Or{Args: flatten([]ast.Formula{f, g}, func(f *ast.Or) []ast.Formula { return f.Args })}
}

// flatten puts the parts of each J in its place.
func flatten[J ast.Formula](args []ast.Formula, parts func(J) []ast.Formula) []ast.Formula {
	var flat []ast.Formula
	for _, a := range args {
		if j, ok := a.(J); ok {
			flat = append(flat, parts(j)...)
		} else {
			flat = append(flat, a)
		}
	}
	return flat
}

// Sentence draws a sentence that lang.Normalize accepts: a query as Formula draws it, with its
// variable quantified, perhaps beside atoms of two entities.
func Sentence(t *rapid.T, o Options) *lang.Query {
	return rapid.Custom(func(t *rapid.T) *lang.Query {
		q := Formula(t, o)
		g := &formulaGen{Options: o, t: t, params: q.Params}
		q.Formula = &ast.Exists{Vars: []ast.Term{variable(q.Free)}, Body: q.Formula}
		for range g.intn("ground", 3) {
			ground := g.literal(g.entity(), g.entity())
			if g.chance(2) {
				q.Formula = conjunction([]ast.Formula{ground, q.Formula})
			} else {
				q.Formula = disjunction(ground, q.Formula)
			}
		}
		q.Free = ""
		q.Normal = nil
		q.Params = g.params
		return q
	}).Filter(func(q *lang.Query) bool { return q.Normalize() == nil }).Draw(t, "sentence")
}
