package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
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
	).Filter(IsIdent)
}

// anyFormula draws a formula in the parser's form, without regard to scopes.
func anyFormula(t *rapid.T, depth int, within string) Formula {
	kinds := []string{"atom", "atom", "not", "exists", "forall", "and", "or", "implies"}
	if depth == 0 {
		kinds = kinds[:1]
	}
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == within })
	switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
	case "not":
		return &Not{Arg: anyFormula(t, depth-1, "")}
	case "exists", "forall":
		var vars []Term
		for range rapid.IntRange(1, 3).Draw(t, "vars") {
			vars = append(vars, Term{Name: anyIdent().Draw(t, "var")})
		}
		if body := anyFormula(t, depth-1, ""); k == "exists" {
			return &Exists{Vars: vars, Body: body}
		} else {
			return &Forall{Vars: vars, Body: body}
		}
	case "implies":
		return &Implies{If: anyFormula(t, depth-1, ""), Then: anyFormula(t, depth-1, "")}
	case "and", "or":
		var args []Formula
		for range rapid.IntRange(2, 3).Draw(t, "args") {
			args = append(args, anyFormula(t, depth-1, k))
		}
		if k == "and" {
			return &And{Args: args}
		}
		return &Or{Args: args}
	}
	if rapid.IntRange(0, 4).Draw(t, "unequal") == 0 {
		return &Unequal{Left: anyTerm(t), Right: anyTerm(t)}
	}
	if rapid.IntRange(0, 2).Draw(t, "path") == 0 {
		f := anyPath(t, 3, func() Relation { return anyRelation(t) })
		f.Head, f.Tail = anyTerm(t), anyTerm(t)
		return f
	}
	return &Atom{
		Relation: anyRelation(t),
		Head:     anyTerm(t),
		Tail:     anyTerm(t),
	}
}

// anyPath draws a path of at most so many steps, without its arguments.
func anyPath(t *rapid.T, most int, relation func() Relation) *Path {
	f := &Path{Most: rapid.IntRange(1, most).Draw(t, "most")}
	f.Least = rapid.IntRange(0, f.Most).Draw(t, "least")
	for range rapid.IntRange(1, 2).Draw(t, "relations") {
		f.Relations = append(f.Relations, relation())
	}
	return f
}

// anyRelation draws a relation.
func anyRelation(t *rapid.T) Relation {
	r := Relation{Param: rapid.Bool().Draw(t, "param"), Inverse: rapid.Bool().Draw(t, "inverse")}
	if r.Param {
		r.Name = anyIdent().Draw(t, "name")
	} else {
		r.Name = anyName().Draw(t, "name")
	}
	return r
}

// anyTerm draws an argument.
func anyTerm(t *rapid.T) Term {
	term := Term{Kind: rapid.SampledFrom([]TermKind{Variable, Constant, Parameter}).Draw(t, "kind")}
	if term.Kind == Constant {
		term.Name = anyName().Draw(t, "name")
	} else {
		term.Name = anyIdent().Draw(t, "name")
	}
	return term
}

// soundGen draws queries that the checks accept, apart from their size and
// contradictions.
type soundGen struct {
	t        *rapid.T
	template bool
	atoms    int
	params   []Param
	// used are templates that the formula may use.
	used []*Query
}

// soundQuery draws a query; a template has a name and perhaps parameters.
func soundQuery(t *rapid.T, template bool, used ...*Query) *Query {
	// A sentence without parameters takes no arguments, and no formula can be written so.
	used = slices.DeleteFunc(slices.Clone(used), func(q *Query) bool { return len(q.Params)+len(q.Variables()) == 0 })
	g := &soundGen{t: t, template: template, used: used}
	q := &Query{Free: "y"}
	if template {
		// A template of the name of a relation would be used in its place.
		q.Name = anyIdent().Filter(func(name string) bool { return name != "r" && name != "s" }).Draw(t, "query")
		q.Doc = anyDoc(t)
	}
	// The first atom ties the free variable to an entity in each disjunct.
	q.Formula = g.anchor("y")
	scope := []string{"y"}
	for i := range max(0, rapid.IntRange(-2, 2).Draw(t, "others")) {
		v := fmt.Sprintf("z%d", i)
		scope, q.Others = append(scope, v), append(q.Others, Term{Name: v})
		q.Formula = conjunction(q.Formula, g.anchor(v))
	}
	q.Formula = conjunction(q.Formula, g.formula(3, scope, true))
	q.Params = g.params
	if q.Others == nil {
		switch rapid.IntRange(0, 5).Draw(t, "asks") {
		case 0:
			q.Free, q.Formula = "", &Exists{Vars: []Term{{Name: "y"}}, Body: q.Formula}
			ground := func() Formula { return &Atom{Relation: g.relation(), Head: g.term(nil), Tail: g.term(nil)} }
			switch rapid.IntRange(0, 2).Draw(t, "ground") {
			case 0:
				q.Formula = conjunction(ground(), q.Formula)
			case 1:
				q.Formula = disjunction(&Not{Arg: ground()}, q.Formula)
			}
			q.Params = g.params
			return q
		case 1:
			q.Count = template
		}
	}
	if q.Others == nil && rapid.IntRange(0, 3).Draw(t, "typed") == 0 {
		q.TypeFilter = &TypeFilter{Entity: Term{Kind: Constant, Name: anyName().Draw(t, "type")}}
		if rapid.Bool().Draw(t, "by") {
			q.TypeFilter.Relation = Relation{Name: anyName().Draw(t, "by"), Inverse: rapid.Bool().Draw(t, "inverse")}
		}
	}
	if template && !q.Count && rapid.IntRange(0, 3).Draw(t, "shown") == 0 {
		Walk(q.Formula, func(f Formula) {
			if e, ok := f.(*Exists); ok && !hasName(q.Show, e.Vars[0].Name) {
				q.Show = append(q.Show, Term{Name: e.Vars[0].Name})
			}
		})
	}
	return q
}

// formula draws a formula over the variables in scope.
func (g *soundGen) formula(depth int, scope []string, positive bool) Formula {
	kinds := []string{"atom", "path", "not", "and", "or", "implies", "exists"}
	switch {
	case depth == 0 || g.atoms > 10:
		kinds = kinds[:2]
	case !positive:
		kinds[len(kinds)-1] = "forall"
	case len(g.used) > 0:
		kinds = append(kinds, "call", "call")
	}
	switch k := rapid.SampledFrom(kinds).Draw(g.t, "kind"); k {
	case "not":
		return &Not{Arg: g.formula(depth-1, scope, !positive)}
	case "and", "or":
		var args []Formula
		for range rapid.IntRange(2, 3).Draw(g.t, "args") {
			args = append(args, g.formula(depth-1, scope, positive))
		}
		if k == "and" {
			return conjunction(args...)
		}
		return disjunction(args...)
	case "implies":
		return &Implies{If: g.formula(depth-1, scope, !positive), Then: g.formula(depth-1, scope, positive)}
	case "forall":
		v := fmt.Sprintf("x%d", len(scope))
		return &Forall{Vars: []Term{{Name: v}}, Body: &Implies{If: g.anchor(v), Then: g.formula(depth-1, append(slices.Clip(scope), v), false)}}
	case "path":
		most := 3
		if !positive {
			most = 1
		}
		f := anyPath(g.t, most, g.relation)
		f.Head, f.Tail = Term{Name: rapid.SampledFrom(scope).Draw(g.t, "head")}, g.term(scope)
		g.atoms += f.Most
		return f
	case "call":
		return g.call(rapid.SampledFrom(g.used).Draw(g.t, "used"), scope)
	case "exists":
		// Siblings share names, nested quantifiers do not.
		v := fmt.Sprintf("x%d", len(scope))
		body := conjunction(g.anchor(v), g.formula(depth-1, append(slices.Clip(scope), v), positive))
		return &Exists{Vars: []Term{{Name: v}}, Body: body}
	}
	g.atoms++
	if rapid.IntRange(0, 4).Draw(g.t, "unequal") == 0 {
		return &Unequal{Left: Term{Name: rapid.SampledFrom(scope).Draw(g.t, "left")}, Right: g.term(scope)}
	}
	a := &Atom{Relation: g.relation(), Head: Term{Name: rapid.SampledFrom(scope).Draw(g.t, "head")}, Tail: g.term(scope)}
	if rapid.Bool().Draw(g.t, "turned") {
		a.Head, a.Tail = a.Tail, a.Head
	}
	return a
}

// call draws a use of a template.
func (g *soundGen) call(used *Query, scope []string) Formula {
	var args []Term
	for _, p := range used.Params {
		if p.Kind == EntityKind {
			args = append(args, g.term(scope))
		} else if r := g.relation(); r.Param {
			args = append(args, Term{Kind: Parameter, Name: r.Name})
		} else {
			args = append(args, Term{Kind: Constant, Name: r.Name})
		}
	}
	for range used.Variables() {
		args = append(args, Term{Name: rapid.SampledFrom(scope).Draw(g.t, "of")})
	}
	g.atoms += 3
	if len(args) == 2 {
		return &Atom{Relation: Relation{Name: used.Name}, Head: args[0], Tail: args[1]}
	}
	return &Call{Name: used.Name, Args: args}
}

// conjunction joins formulas; like the parser, it joins what is a conjunction
// already.
func conjunction(args ...Formula) Formula {
	var all []Formula
	for _, a := range args {
		if and, ok := a.(*And); ok {
			all = append(all, and.Args...)
		} else {
			all = append(all, a)
		}
	}
	return &And{Args: all}
}

// disjunction does the same for disjunctions.
func disjunction(args ...Formula) Formula {
	var all []Formula
	for _, a := range args {
		if or, ok := a.(*Or); ok {
			all = append(all, or.Args...)
		} else {
			all = append(all, a)
		}
	}
	return &Or{Args: all}
}

// anchor draws an atom that ties a variable to an entity.
func (g *soundGen) anchor(v string) Formula {
	g.atoms++
	return &Atom{Relation: g.relation(), Head: g.term(nil), Tail: Term{Name: v}}
}

// relation draws a relation of three.
func (g *soundGen) relation() Relation {
	r := Relation{Name: rapid.SampledFrom([]string{"r", "s", "to do"}).Draw(g.t, "relation"), Inverse: rapid.Bool().Draw(g.t, "inverse")}
	if g.template && rapid.IntRange(0, 3).Draw(g.t, "param") == 0 {
		r.Name, r.Param = g.param("p", RelationKind), true
	}
	return r
}

// term draws an entity of three or a variable in scope.
func (g *soundGen) term(scope []string) Term {
	if len(scope) > 0 && rapid.IntRange(0, 2).Draw(g.t, "variable") > 0 {
		return Term{Name: rapid.SampledFrom(scope).Draw(g.t, "term")}
	}
	if g.template && rapid.Bool().Draw(g.t, "param") {
		return Term{Kind: Parameter, Name: g.param("e", EntityKind)}
	}
	return Term{Kind: Constant, Name: rapid.SampledFrom([]string{"a", "b c", "ü"}).Draw(g.t, "entity")}
}

// param returns the name of a parameter, declaring it where it is new.
func (g *soundGen) param(prefix string, kind Kind) string {
	p := Param{Name: fmt.Sprintf("%s%d", prefix, rapid.IntRange(1, 2).Draw(g.t, "which")), Kind: kind}
	if !slices.Contains(g.params, p) {
		g.params = append(g.params, p)
	}
	return p.Name
}

// anyDoc draws a comment's text, which has no white space at line ends.
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
	out := &Query{Name: q.Name, Doc: q.Doc, Free: q.Free, Count: q.Count, Formula: bareFormula(q.Formula)}
	for _, v := range q.Others {
		out.Others = append(out.Others, Term{Name: v.Name})
	}
	for _, p := range q.Params {
		out.Params = append(out.Params, Param{Name: p.Name, Kind: p.Kind})
	}
	if l := q.TypeFilter; l != nil {
		r := l.Relation
		r.Pos = Pos{}
		out.TypeFilter = &TypeFilter{Relation: r, Entity: Term{Kind: l.Entity.Kind, Name: l.Entity.Name}}
	}
	for _, v := range q.Show {
		out.Show = append(out.Show, Term{Name: v.Name})
	}
	return out
}

// bareFormula removes the positions from a formula.
func bareFormula(f Formula) Formula {
	term := func(t Term) Term { return Term{Kind: t.Kind, Name: t.Name} }
	terms := func(list []Term) (out []Term) {
		for _, t := range list {
			out = append(out, term(t))
		}
		return out
	}
	all := func(args []Formula) []Formula {
		out := make([]Formula, len(args))
		for i, a := range args {
			out[i] = bareFormula(a)
		}
		return out
	}
	switch f := f.(type) {
	case *And:
		return &And{Args: all(f.Args)}
	case *Or:
		return &Or{Args: all(f.Args)}
	case *Not:
		return &Not{Arg: bareFormula(f.Arg)}
	case *Implies:
		return &Implies{If: bareFormula(f.If), Then: bareFormula(f.Then)}
	case *Exists:
		return &Exists{Vars: terms(f.Vars), Body: bareFormula(f.Body)}
	case *Forall:
		return &Forall{Vars: terms(f.Vars), Body: bareFormula(f.Body)}
	case *Path:
		out := &Path{Least: f.Least, Most: f.Most, Head: term(f.Head), Tail: term(f.Tail)}
		for _, r := range f.Relations {
			r.Pos = Pos{}
			out.Relations = append(out.Relations, r)
		}
		return out
	case *Call:
		return &Call{Name: f.Name, Args: terms(f.Args)}
	case *Atom:
		r := f.Relation
		r.Pos = Pos{}
		return &Atom{Relation: r, Head: term(f.Head), Tail: term(f.Tail)}
	case *Unequal:
		return &Unequal{Left: term(f.Left), Right: term(f.Right)}
	}
	panic(fmt.Sprintf("unknown formula %T", f))
}
