package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// anyName draws names of entities and relations: plain ones, keywords, and
// ones that need quotes and escapes.
func anyName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"r", "film", "größe", "日本", "_", "x1", "exists", "and", "query", "entity", "3M", "/film/film/genre",
			"New York", `a"b`, "it's", "back`tick", `back\slash`, "tab\t", "line\nend", "nul\x00", "bad\xff", "\ufeff", "e\u0301", "$p", "r^-1", "//",
		}),
		rapid.StringN(1, 8, -1),
		rapid.StringMatching(`[\p{L}_][\p{L}\p{Nd}_]{0,4}`),
	)
}

// anyIdent draws identifiers.
func anyIdent() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"x", "y", "z", "größe", "日本", "_", "x_2", "Exists"}),
		rapid.StringMatching(`[\p{L}_][\p{L}\p{Nd}_]{0,4}`),
	).Filter(ast.IsIdent)
}

// anyFormula draws a formula in the parser's form, without regard to scopes.
func anyFormula(t *rapid.T, depth int, within string) ast.Formula {
	kinds := []string{"atom", "atom", "not", "exists", "forall", "and", "or", "implies"}
	if depth == 0 {
		kinds = kinds[:1]
	}
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == within })
	switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
	case "not":
		return &ast.Not{Arg: anyFormula(t, depth-1, "")}
	case "exists", "forall":
		var vars []ast.Term
		for range rapid.IntRange(1, 3).Draw(t, "vars") {
			vars = append(vars, ast.Term{Name: anyIdent().Draw(t, "var")})
		}
		if body := anyFormula(t, depth-1, ""); k == "exists" {
			return &ast.Exists{Vars: vars, Body: body}
		} else {
			return &ast.Forall{Vars: vars, Body: body}
		}
	case "implies":
		return &ast.Implies{If: anyFormula(t, depth-1, ""), Then: anyFormula(t, depth-1, "")}
	case "and", "or":
		var args []ast.Formula
		for range rapid.IntRange(2, 3).Draw(t, "args") {
			args = append(args, anyFormula(t, depth-1, k))
		}
		if k == "and" {
			return &ast.And{Args: args}
		}
		return &ast.Or{Args: args}
	}
	switch rapid.IntRange(0, 9).Draw(t, "atom") {
	case 0, 1:
		return &ast.Unequal{Left: anyTerm(t), Right: anyTerm(t)}
	case 2:
		return anyFilter(t, anyTerm(t))
	}
	if rapid.IntRange(0, 2).Draw(t, "path") == 0 {
		f := anyPath(t, 3, func() ast.Relation { return anyRelation(t) })
		f.Head, f.Tail = anyTerm(t), anyTerm(t)
		return f
	}
	return &ast.Atom{
		Relation: anyRelation(t),
		Head:     anyTerm(t),
		Tail:     anyTerm(t),
	}
}

// anyPath draws a path of at most `most` steps, without its arguments.
func anyPath(t *rapid.T, most int, relation func() ast.Relation) *ast.Path {
	f := &ast.Path{Most: rapid.IntRange(1, most).Draw(t, "most")}
	f.Least = rapid.IntRange(0, f.Most).Draw(t, "least")
	for range rapid.IntRange(1, 2).Draw(t, "relations") {
		f.Relations = append(f.Relations, relation())
	}
	return f
}

// anyRelation draws a relation.
func anyRelation(t *rapid.T) ast.Relation {
	r := ast.Relation{Param: rapid.Bool().Draw(t, "param"), Inverse: rapid.Bool().Draw(t, "inverse")}
	if r.Param {
		r.Name = anyIdent().Draw(t, "name")
	} else {
		r.Name = anyName().Draw(t, "name")
	}
	return r
}

// anyTerm draws an argument.
func anyTerm(t *rapid.T) ast.Term {
	term := ast.Term{Kind: rapid.SampledFrom([]ast.TermKind{ast.Variable, ast.Constant, ast.Parameter}).Draw(t, "kind")}
	if term.Kind == ast.Constant {
		term.Name = anyName().Draw(t, "name")
	} else {
		term.Name = anyIdent().Draw(t, "name")
	}
	return term
}

// soundGen draws queries that pass the checks, apart from their size and contradictions.
type soundGen struct {
	t        *rapid.T
	template bool
	atoms    int
	params   []Param
}

// soundQuery draws a query; a template has a name and possibly parameters.
func soundQuery(t *rapid.T, template bool) *Query {
	g := &soundGen{t: t, template: template}
	q := &Query{Free: "y"}
	if template {
		q.Name = anyIdent().Draw(t, "query")
		q.Doc = anyDoc(t)
	}
	// The first atom links the free variable to an entity in each disjunct.
	q.Formula = g.anchor("y")
	scope := []string{"y"}
	for i := range max(0, rapid.IntRange(-2, 2).Draw(t, "others")) {
		v := fmt.Sprintf("z%d", i)
		scope, q.Others = append(scope, v), append(q.Others, ast.Term{Name: v})
		q.Formula = conjunction(q.Formula, g.anchor(v))
	}
	q.Formula = conjunction(q.Formula, g.formula(3, scope, true))
	q.Params = g.params
	if q.Others == nil {
		switch rapid.IntRange(0, 5).Draw(t, "asks") {
		case 0:
			q.Free, q.Formula = "", &ast.Exists{Vars: []ast.Term{{Name: "y"}}, Body: q.Formula}
			ground := func() ast.Formula { return &ast.Atom{Relation: g.relation(), Head: g.term(nil), Tail: g.term(nil)} }
			switch rapid.IntRange(0, 2).Draw(t, "ground") {
			case 0:
				q.Formula = conjunction(ground(), q.Formula)
			case 1:
				q.Formula = disjunction(&ast.Not{Arg: ground()}, q.Formula)
			}
			q.Params = g.params
			return q
		case 1:
			if template {
				q.Wants = kind.Count
			}
		}
	}
	if q.Others == nil && rapid.IntRange(0, 3).Draw(t, "typed") == 0 {
		q.TypeFilter = &ast.TypeFilter{Entity: ast.Term{Kind: ast.Constant, Name: anyName().Draw(t, "type")}}
		if rapid.Bool().Draw(t, "by") {
			q.TypeFilter.Relation = ast.Relation{Name: anyName().Draw(t, "by"), Inverse: rapid.Bool().Draw(t, "inverse")}
		}
	}
	if template && q.Wants == kind.Answers && rapid.IntRange(0, 3).Draw(t, "shown") == 0 {
		ast.Walk(q.Formula, func(f ast.Formula) {
			if e, ok := f.(*ast.Exists); ok && !ast.HasName(q.Show, e.Vars[0].Name) {
				q.Show = append(q.Show, ast.Term{Name: e.Vars[0].Name})
			}
		})
	}
	return q
}

// formula draws a formula over the variables in scope.
func (g *soundGen) formula(depth int, scope []string, positive bool) ast.Formula {
	kinds := []string{"atom", "path", "not", "and", "or", "implies", "exists"}
	switch {
	case depth == 0 || g.atoms > 10:
		kinds = kinds[:2]
	case !positive:
		kinds[len(kinds)-1] = "forall"
	}
	switch k := rapid.SampledFrom(kinds).Draw(g.t, "kind"); k {
	case "not":
		return &ast.Not{Arg: g.formula(depth-1, scope, !positive)}
	case "and", "or":
		var args []ast.Formula
		for range rapid.IntRange(2, 3).Draw(g.t, "args") {
			args = append(args, g.formula(depth-1, scope, positive))
		}
		if k == "and" {
			return conjunction(args...)
		}
		return disjunction(args...)
	case "implies":
		return &ast.Implies{If: g.formula(depth-1, scope, !positive), Then: g.formula(depth-1, scope, positive)}
	case "forall":
		v := fmt.Sprintf("x%d", len(scope))
		return &ast.Forall{Vars: []ast.Term{{Name: v}}, Body: &ast.Implies{If: g.anchor(v), Then: g.formula(depth-1, append(slices.Clip(scope), v), false)}}
	case "path":
		most := 3
		if !positive {
			most = 1
		}
		f := anyPath(g.t, most, g.relation)
		f.Head, f.Tail = ast.Term{Name: rapid.SampledFrom(scope).Draw(g.t, "head")}, g.term(scope)
		g.atoms += f.Most
		return f
	case "exists":
		// Siblings share names, nested quantifiers do not.
		v := fmt.Sprintf("x%d", len(scope))
		body := conjunction(g.anchor(v), g.formula(depth-1, append(slices.Clip(scope), v), positive))
		return &ast.Exists{Vars: []ast.Term{{Name: v}}, Body: body}
	}
	g.atoms++
	switch rapid.IntRange(0, 9).Draw(g.t, "atom") {
	case 0, 1:
		return &ast.Unequal{Left: ast.Term{Name: rapid.SampledFrom(scope).Draw(g.t, "left")}, Right: g.term(scope)}
	case 2:
		return anyFilter(g.t, ast.Term{Name: rapid.SampledFrom(scope).Draw(g.t, "subject")})
	}
	a := &ast.Atom{Relation: g.relation(), Head: ast.Term{Name: rapid.SampledFrom(scope).Draw(g.t, "head")}, Tail: g.term(scope)}
	if rapid.Bool().Draw(g.t, "turned") {
		a.Head, a.Tail = a.Tail, a.Head
	}
	return a
}

// conjunction joins formulas; like the parser, it flattens conjunctions.
func conjunction(args ...ast.Formula) ast.Formula {
	var all []ast.Formula
	for _, a := range args {
		if and, ok := a.(*ast.And); ok {
			all = append(all, and.Args...)
		} else {
			all = append(all, a)
		}
	}
	return &ast.And{Args: all}
}

// disjunction does the same for disjunctions.
func disjunction(args ...ast.Formula) ast.Formula {
	var all []ast.Formula
	for _, a := range args {
		if or, ok := a.(*ast.Or); ok {
			all = append(all, or.Args...)
		} else {
			all = append(all, a)
		}
	}
	return &ast.Or{Args: all}
}

// anchor draws an atom that links a variable to an entity.
func (g *soundGen) anchor(v string) ast.Formula {
	g.atoms++
	return &ast.Atom{Relation: g.relation(), Head: g.term(nil), Tail: ast.Term{Name: v}}
}

// relation draws one of three relations.
func (g *soundGen) relation() ast.Relation {
	r := ast.Relation{Name: rapid.SampledFrom([]string{"r", "s", "to do"}).Draw(g.t, "relation"), Inverse: rapid.Bool().Draw(g.t, "inverse")}
	if g.template && rapid.IntRange(0, 3).Draw(g.t, "param") == 0 {
		r.Name, r.Param = g.param("p", kind.Relation), true
	}
	return r
}

// term draws one of three entities or a variable in scope.
func (g *soundGen) term(scope []string) ast.Term {
	if len(scope) > 0 && rapid.IntRange(0, 2).Draw(g.t, "variable") > 0 {
		return ast.Term{Name: rapid.SampledFrom(scope).Draw(g.t, "term")}
	}
	if g.template && rapid.Bool().Draw(g.t, "param") {
		return ast.Term{Kind: ast.Parameter, Name: g.param("e", kind.Entity)}
	}
	return ast.Term{Kind: ast.Constant, Name: rapid.SampledFrom([]string{"a", "b c", "ü"}).Draw(g.t, "entity")}
}

// param returns the name of a parameter, declaring it if it is new.
func (g *soundGen) param(prefix string, k kind.Param) string {
	p := Param{Name: fmt.Sprintf("%s%d", prefix, rapid.IntRange(1, 2).Draw(g.t, "which")), Kind: k}
	if !slices.Contains(g.params, p) {
		g.params = append(g.params, p)
	}
	return p.Name
}

// anyDoc draws a comment text without trailing white space in its lines.
func anyDoc(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.StringN(0, 12, -1), 0, 3).Draw(t, "doc")
	for i, l := range lines {
		l = strings.Map(func(r rune) rune {
			if r == '\n' || r == utf8.RuneError {
				return -1
			}
			return r
		}, l)
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// bare removes the positions from a query.
func bare(q *Query) *Query {
	out := &Query{Name: q.Name, Doc: q.Doc, Free: q.Free, Wants: q.Wants, Formula: bareFormula(q.Formula)}
	for _, v := range q.Others {
		out.Others = append(out.Others, ast.Term{Name: v.Name})
	}
	for _, p := range q.Params {
		out.Params = append(out.Params, Param{Name: p.Name, Kind: p.Kind})
	}
	if l := q.TypeFilter; l != nil {
		r := l.Relation
		r.Pos = ast.Pos{}
		out.TypeFilter = &ast.TypeFilter{Relation: r, Entity: ast.Term{Kind: l.Entity.Kind, Name: l.Entity.Name}}
	}
	for _, v := range q.Show {
		out.Show = append(out.Show, ast.Term{Name: v.Name})
	}
	return out
}

// anyFilter draws a filter by an attribute whose values are the numbers of a world's elements.
func anyFilter(t *rapid.T, subject ast.Term) ast.Formula {
	f := &ast.Filter{Condition: ast.Condition{Attribute: "size"}, Subject: subject}
	by := ast.Comparison{Operator: rapid.SampledFrom([]string{"<", ">=", "=", "!="}).Draw(t, "operator"), Value: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")}
	f.Comparisons = []ast.Comparison{by}
	if by.Operator == ">=" && rapid.Bool().Draw(t, "range") {
		f.Comparisons = append(f.Comparisons, ast.Comparison{Operator: "<=", Value: "2"})
	}
	return f
}

// bareFormula removes the positions from a formula.
func bareFormula(f ast.Formula) ast.Formula {
	term := func(t ast.Term) ast.Term { return ast.Term{Kind: t.Kind, Name: t.Name} }
	terms := func(list []ast.Term) (out []ast.Term) {
		for _, t := range list {
			out = append(out, term(t))
		}
		return out
	}
	all := func(args []ast.Formula) []ast.Formula {
		out := make([]ast.Formula, len(args))
		for i, a := range args {
			out[i] = bareFormula(a)
		}
		return out
	}
	switch f := f.(type) {
	case *ast.And:
		return &ast.And{Args: all(f.Args)}
	case *ast.Or:
		return &ast.Or{Args: all(f.Args)}
	case *ast.Not:
		return &ast.Not{Arg: bareFormula(f.Arg)}
	case *ast.Implies:
		return &ast.Implies{If: bareFormula(f.If), Then: bareFormula(f.Then)}
	case *ast.Exists:
		return &ast.Exists{Vars: terms(f.Vars), Body: bareFormula(f.Body)}
	case *ast.Forall:
		return &ast.Forall{Vars: terms(f.Vars), Body: bareFormula(f.Body)}
	case *ast.Path:
		out := &ast.Path{Least: f.Least, Most: f.Most, Head: term(f.Head), Tail: term(f.Tail)}
		for _, r := range f.Relations {
			r.Pos = ast.Pos{}
			out.Relations = append(out.Relations, r)
		}
		return out
	case *ast.Atom:
		r := f.Relation
		r.Pos = ast.Pos{}
		return &ast.Atom{Relation: r, Head: term(f.Head), Tail: term(f.Tail)}
	case *ast.Unequal:
		return &ast.Unequal{Left: term(f.Left), Right: term(f.Right)}
	case *ast.Filter:
		bare := &ast.Filter{Condition: f.Condition, Subject: term(f.Subject)}
		bare.Comparisons = slices.Clone(f.Comparisons)
		for i := range bare.Comparisons {
			bare.Comparisons[i].Pos = ast.Pos{}
		}
		return bare
	}
	panic(fmt.Sprintf("unknown formula %T", f))
}
