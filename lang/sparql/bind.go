package sparql

import (
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// Graph looks up names in a graph.
type Graph interface {
	// Find returns the name of the entity with the given name or label.
	Find(text string) (name string, ok bool)
	// HasRelation reports whether a relation has the given name or label. The error explains why not, if users
	// should know.
	HasRelation(text string) (bool, error)
	// Literals reports whether any entity is a literal.
	Literals() bool
	// HasAttribute reports whether an attribute has the given name, and HasSeveral whether some entity has several
	// values of it.
	HasAttribute(name string) bool
	HasSeveral(attribute string) bool
}

// Bind resolves the literals of the query to entities of a graph. A literal is the entity whose name is its
// N-Triples form. If there is none, a plain literal or a number is the entity of that name or label, if that is
// not a literal itself, as without a graph. A triple with an unknown entity or relation has no solution, as in
// other stores; if strict is set, it stays in the query, because a person may have misspelt it. SPARQL compares
// literals by value, so equalities and inequalities of two literals are refused. The error is a lang.ErrorList.
func (r *Request) Bind(g Graph, strict bool) error {
	r.Bound = ""
	r.Empty = false
	b := binder{Graph: g, strict: strict, request: r}
	b.bindValues()
	if len(b.errs) > 0 {
		return b.errs
	}
	ast.Walk(r.Query.Formula, b.bind)
	if len(b.errs) > 0 {
		return b.errs
	}
	f, t := simplify(r.Query.Formula, b.settle)
	r.Empty = t != open
	if r.Empty || !b.changed {
		return nil
	}
	r.Query.Formula = f
	if r.Facts != nil {
		return nil
	}
	return r.Query.Normalize()
}

// labels are the predicates whose literals become entity labels when a graph is imported.
var labels = map[string]bool{
	"http://www.w3.org/2000/01/rdf-schema#label": true, "http://www.w3.org/2004/02/skos/core#prefLabel": true,
	"http://schema.org/name": true, "https://schema.org/name": true,
}

// bind resolves the literals of a formula, not of its parts.
func (b *binder) bind(f ast.Formula) {
	r := b.request
	compared := 0
	for _, t := range ast.Terms(f) {
		if t.Kind == ast.Variable || b.bindTerm(t) {
			compared++
		}
	}
	if a, ok := f.(*ast.Atom); ok && b.Graph != nil && !a.Relation.Param {
		known, err := b.HasRelation(a.Relation.Name)
		if err != nil {
			b.fail(a.Relation.Pos, "", "%v", err)
		}
		if !known && labels[a.Relation.Name] {
			b.fail(a.Relation.Pos, `write the label in the place of its entity, as in ?y :borders "France"`, "labels are no facts")
		}
	}
	switch f := f.(type) {
	case *ast.Atom, *ast.Unequal, *ast.Filter:
		if filter, ok := f.(*ast.Filter); ok {
			b.repeats(filter)
		}
		known := b.settle(f)
		b.changed = b.changed || known != open
		r.Bound += strconv.Itoa(int(known))
	}
	if u, ok := f.(*ast.Unequal); ok && compared == 2 && b.Graph != nil && b.Literals() {
		b.errs = append(b.errs, r.Query.Errorf(u.Pos, "compare with IRIs", "literals of the graph are compared by value, which is outside the part of SPARQL that is answered here"))
	}
}

// bindTerm resolves a constant and reports whether it is a literal.
func (b *binder) bindTerm(t *ast.Term) (literal bool) {
	_, literal = LiteralOf(t.Name)
	name := entityOf(t.Name, b.Graph)
	if name == t.Name {
		b.request.Bound += "l"
		return literal
	}
	_, other := LiteralOf(name)
	t.Name = name
	b.changed = true
	b.request.Bound += "e"
	return other || b.lacks(name) // a value, which may have other spellings
}

// binder resolves the names of a request, and decides truth values by the graph, if it is not nil.
type binder struct {
	Graph
	strict  bool
	request *Request
	changed bool // whether a name or truth value was replaced
	errs    lang.ErrorList
	// compared holds the variables that <, <=, > or >= compare; values holds all variables for values.
	compared, values map[string]bool
	// made names the variable for the value of each filter.
	made map[ast.Formula]string
}

// lacks reports whether the graph has no entity of that name; if strict is set, it returns false.
func (b *binder) lacks(name string) bool {
	if b.Graph == nil || b.strict {
		return false
	}
	_, ok := b.Find(name)
	return !ok
}

// settle decides an atom by its names alone, if possible.
func (b *binder) settle(f ast.Formula) truth {
	a, triple := f.(*ast.Atom)
	if triple && b.Graph != nil && !b.strict && !a.Relation.Param {
		if ok, _ := b.HasRelation(a.Relation.Name); !ok {
			return never
		}
	}
	for _, t := range ast.Terms(f) {
		if t.Kind != ast.Constant || !b.lacks(t.Name) {
			continue
		}
		if _, unequal := f.(*ast.Unequal); unequal { // it differs from every entity
			return always
		}
		return never
	}
	return open
}

// entityOf returns the name of the entity that a literal name denotes in a graph.
func entityOf(name string, g Graph) string {
	l, ok := LiteralOf(name)
	if lower := strings.ToLower(l.Language); lower != l.Language && g != nil {
		if _, there := g.Find(name); !there { // tags are case-insensitive, and imported in lower case
			l.Language = lower
			name = l.String()
		}
	}
	if !ok || l.Text == "" || l.Language != "" || l.Datatype != "" && !l.number() {
		return name
	}
	if g == nil {
		return l.Text
	}
	if _, ok := g.Find(name); ok {
		return name
	}
	if found, ok := g.Find(l.Text); ok {
		if _, other := LiteralOf(found); other {
			return name
		}
	}
	return l.Text
}
