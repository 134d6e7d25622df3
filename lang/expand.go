package lang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/kind"
)

// scope holds the names that a template can use besides relations of the model.
type scope struct {
	aliases map[string]*ast.Alias
	used    map[string]bool // the aliases in use
	*templates
}

func newScope(t *templates) *scope {
	return &scope{map[string]*ast.Alias{}, map[string]bool{}, t}
}

// templates are the templates of a package.
type templates struct {
	named map[string]*Query
	// examining is the stack of templates under examination; each is used by the one before it.
	examining []*Query
}

// expander expands the abbreviations in the formula of one query.
type expander struct {
	reporter
	q *Query
	// variables are the variables of the formula as written; taken also holds the generated ones.
	variables, taken map[string]bool
	// atoms counts the atoms of the expanded formula.
	atoms int
	// borrows says that an alias or a template was expanded.
	borrows bool
}

// expand returns a query's formula without abbreviations and with the model's relation names. An expansion has
// the position of its abbreviation.
func (q *Query) expand() (ast.Formula, ErrorList) {
	x := &expander{reporter: reporter{src: q.Source}, q: q, variables: map[string]bool{}, taken: map[string]bool{}}
	for _, v := range q.Variables() {
		x.variables[v.Name] = true
		x.taken[v.Name] = true
	}
	ast.Walk(q.Formula, func(f ast.Formula) {
		for _, v := range ast.Quantified(f) {
			x.variables[v.Name] = true
			x.taken[v.Name] = true
		}
		for _, t := range ast.Terms(f) {
			x.taken[t.Name] = true
		}
	})
	plain := x.formula(q.Formula)
	q.borrows = x.borrows
	return plain, x.errs
}

// formula expands a part of the formula.
func (x *expander) formula(f ast.Formula) ast.Formula {
	switch f := f.(type) {
	case *ast.And:
		return &ast.And{Args: each(f.Args, x.formula), Pos: f.Pos}
	case *ast.Or:
		return &ast.Or{Args: each(f.Args, x.formula), Pos: f.Pos}
	case *ast.Not:
		return &ast.Not{Arg: x.formula(f.Arg), Pos: f.Pos}
	case *ast.Implies:
		return &ast.Or{Args: []ast.Formula{&ast.Not{Arg: x.formula(f.If), Pos: f.Pos}, x.formula(f.Then)}, Pos: f.Pos}
	case *ast.Exists:
		return &ast.Exists{Vars: f.Vars, Body: x.formula(f.Body), Pos: f.Pos}
	case *ast.Forall:
		refusal := "a formula of EFO1 says \"for every\" only under a negation, as in !(forall x. …)"
		return &ast.Not{Arg: &ast.Exists{Vars: f.Vars, Body: &ast.Not{Arg: x.formula(f.Body), Pos: f.Pos}, Pos: f.Pos, Refusal: refusal}, Pos: f.Pos}
	case *ast.Path:
		return x.path(f)
	case *ast.Call:
		if t := x.template(f.Name); t != nil {
			return x.call(t, f.Args, f.Pos)
		}
		x.errs = append(x.errs, twoArguments(f.Name, len(f.Args), f.Pos))
		return missing(f.Pos)
	case *ast.Atom:
		return x.apply(f.Relation, f.Head, f.Tail, f.Pos)
	}
	x.atoms++ // an inequality or a filter
	return f
}

// each applies a function to each formula of a list.
func each(list []ast.Formula, of func(ast.Formula) ast.Formula) []ast.Formula {
	out := make([]ast.Formula, len(list))
	for i, f := range list {
		out[i] = of(f)
	}
	return out
}

// missing replaces an abbreviation that has a mistake.
func missing(pos ast.Pos) ast.Formula { return &ast.Atom{Pos: pos} }

// template returns the template of a name, nil if there is none. Aliases of the file take precedence.
func (x *expander) template(name string) *Query {
	if x.q.scope == nil {
		return nil
	}
	if x.q.scope.aliases[name] != nil {
		return nil
	}
	return x.q.scope.named[name]
}

// relation returns the relation of the model that a written relation denotes.
func (s *scope) relation(r ast.Relation) ast.Relation {
	if s != nil && !r.Param && !r.Quoted {
		if a := s.aliases[r.Name]; a != nil {
			s.used[a.Name] = true
			r.Name = a.Relation.Name
			r.Inverse = r.Inverse != a.Relation.Inverse
		}
	}
	r.Quoted = false
	return r
}

// relation returns the relation of the model that a written relation denotes.
func (x *expander) relation(r ast.Relation) ast.Relation {
	meant := x.q.scope.relation(r)
	x.borrows = x.borrows || meant.Name != r.Name || meant.Inverse != r.Inverse || r.Quoted
	return meant
}

// apply returns an atom of a relation, or expands a template with two arguments.
func (x *expander) apply(r ast.Relation, head, tail ast.Term, pos ast.Pos) ast.Formula {
	if t := x.template(r.Name); t != nil && !r.Param && !r.Quoted {
		if r.Inverse {
			head, tail = tail, head
		}
		return x.call(t, []ast.Term{head, tail}, pos)
	}
	x.atoms++
	return &ast.Atom{Relation: x.relation(r), Head: head, Tail: tail, Pos: pos}
}

// room reports whether the formula may grow by n atoms, the expansion of f, and reports a mistake if not.
func (x *expander) room(f fmt.Stringer, n int, pos ast.Pos) bool {
	if x.atoms+n <= limits.Atoms {
		return true
	}
	x.add(pos, "", "%s stands for %d atoms, with which the formula is over the limit of %d", token.Clip(f.String(), token.MaxClip), n, limits.Atoms)
	return false
}

// path expands a path.
func (x *expander) path(f *ast.Path) ast.Formula {
	each := 0 // atoms per step
	for _, r := range f.Relations {
		n := 1
		if t := x.template(r.Name); t != nil && !r.Param && !r.Quoted && x.sound(t, f.Pos) {
			n = count(t.plain)
		}
		each += n
	}
	steps := f.Most + max(0, f.Most-max(1, f.Least))
	n := each * steps
	if f.Least == 0 {
		n++
	}
	if len(x.errs) > 0 || !x.room(f, n, f.Pos) {
		return missing(f.Pos)
	}
	if f.Least == 0 {
		x.atoms++
	}
	chain := ast.Chain{Least: f.Least, Most: f.Most, Pos: f.Pos, Written: f.String()}
	chain.Via = func() ast.Term { return ast.Term{Name: x.fresh("via"), Pos: f.Pos} }
	chain.Step = func(from, to ast.Term) ast.Formula {
		var choice []ast.Formula
		for _, r := range f.Relations {
			choice = append(choice, x.apply(r, from, to, f.Pos))
		}
		return ast.Either(choice, f.Pos)
	}
	return chain.Between(f.Head, f.Tail)
}

// fresh returns a name that is unique in the query.
func (x *expander) fresh(name string) string {
	unique := name
	for i := 2; x.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	x.taken[unique] = true
	return unique
}

// count returns the number of atoms of a formula.
func count(f ast.Formula) (n int) {
	ast.Walk(f, func(f ast.Formula) {
		if ast.Terms(f) != nil {
			n++
		}
	})
	return n
}

// examine normalises a template once and returns its mistakes.
func (q *Query) examine() ErrorList {
	if !q.examined {
		t := q.scope.templates
		t.examining = append(t.examining, q)
		switch {
		case !q.faulty:
			if err := q.Normalize(); err != nil {
				q.mistakes = err.(ErrorList)
			}
		case q.Formula != nil:
			_, c := check(q, true)
			all := reporter{q.Source, slices.Concat(q.mistakes, c.errs)}
			_ = all.err() // sorted, with their lines
			q.mistakes = all.errs
		}
		t.examining = t.examining[:len(t.examining)-1]
		q.examined = true
	}
	return q.mistakes
}

// sound reports whether a template can be used; if not, it reports a mistake at the use.
func (x *expander) sound(t *Query, pos ast.Pos) bool {
	if i := slices.Index(x.q.scope.examining, t); i >= 0 {
		circle := ""
		for _, q := range x.q.scope.examining[i:] {
			circle += q.Name + " → "
		}
		x.add(pos, fmt.Sprintf("a relation of that name is quoted: %q(…)", t.Name), "a template cannot use itself: %s", circle+t.Name)
		return false
	}
	if mistakes := t.examine(); len(mistakes) > 0 {
		x.add(pos, mistakes[0].Error(), "query %s, which is used here, has a mistake", t.Name)
		return false
	}
	return true
}

// call expands a template. The last args replace its answer variables.
func (x *expander) call(t *Query, args []ast.Term, pos ast.Pos) ast.Formula {
	x.borrows = true
	answers := t.Variables()
	used := &ast.Call{Name: t.Name, Args: args, Pos: pos}
	switch {
	case !x.sound(t, pos):
		return missing(pos)
	case t.TypeFilter != nil:
		x.add(pos, "limit the answers of the query that uses it, or write an atom in place of the type",
			"query %s limits its answers to a type, which a formula cannot", t.Name)
		return missing(pos)
	case len(args) != len(t.Params)+len(answers):
		written := &ast.Call{Name: t.Name}
		for _, p := range t.Params {
			written.Args = append(written.Args, ast.Term{Name: p.Name})
		}
		for _, v := range answers {
			written.Args = append(written.Args, ast.Term{Name: v.Name})
		}
		x.add(pos, "write "+written.String(), "query %s takes %d arguments, not %d", t.Name, len(t.Params)+len(answers), len(args))
		return missing(pos)
	}
	n := count(t.plain)
	if !x.room(used, n, pos) {
		return missing(pos)
	}
	x.atoms += n
	c := copier{x: x, of: t, pos: pos, terms: map[string]ast.Term{}, params: map[string]ast.Term{}, relations: map[string]ast.Relation{}}
	for i, v := range answers {
		c.terms[v.Name] = args[len(t.Params)+i]
	}
	for i, p := range t.Params {
		switch p.Kind {
		case kind.Entity:
			c.params[p.Name] = args[i]
		case kind.Relation:
			c.relations[p.Name] = x.argument(t, p, args[i])
		default:
			c.params[p.Name] = x.value(t, p, args[i])
		}
	}
	c.written = used.String()
	return c.formula(t.plain)
}

// argument converts the argument for a relation parameter.
func (x *expander) argument(t *Query, p Param, arg ast.Term) ast.Relation {
	if arg.Kind == ast.Variable && x.variables[arg.Name] {
		x.add(arg.Pos, fmt.Sprintf("a relation of that name is quoted: %q", arg.Name),
			"the parameter %s of query %s stands for a relation, and %s is a variable", p.Name, t.Name, arg.Name)
	}
	return x.relation(ast.Relation{Name: arg.Name, Param: arg.Kind == ast.Parameter, Quoted: arg.Kind == ast.Constant, Pos: arg.Pos})
}

// value checks the argument for a number or date parameter.
func (x *expander) value(t *Query, p Param, arg ast.Term) ast.Term {
	switch {
	case arg.Kind == ast.Variable:
		x.add(arg.Pos, fmt.Sprintf("write %q, or a parameter such as $%s", example(p.Kind), p.Name),
			"the parameter %s of query %s stands for a %s, and %s is a variable", p.Name, t.Name, p.Kind, arg.Name)
	case arg.Kind == ast.Constant && p.Kind == kind.Number && !token.IsNumber(arg.Name):
		x.add(arg.Pos, "a number is written as in "+strconv.Quote(example(p.Kind)), "the parameter %s of query %s stands for a number, and %q is none", p.Name, t.Name, arg.Name)
	}
	return arg
}

// example returns a value of a kind.
func example(k kind.Param) string {
	if k == kind.Date {
		return "1950-01-31"
	}
	return "12.5"
}

// copier copies the formula of a template to the place of use.
type copier struct {
	x   *expander
	of  *Query // the template
	pos ast.Pos
	// terms replace the template's variables; params and relations replace its parameters.
	terms, params map[string]ast.Term
	relations     map[string]ast.Relation
	written       string
}

func (c *copier) formula(f ast.Formula) ast.Formula {
	switch f := f.(type) {
	case *ast.And:
		return &ast.And{Args: each(f.Args, c.formula), Pos: c.pos}
	case *ast.Or:
		return &ast.Or{Args: each(f.Args, c.formula), Pos: c.pos}
	case *ast.Not:
		return &ast.Not{Arg: c.formula(f.Arg), Pos: c.pos}
	case *ast.Exists:
		vars := make([]ast.Term, len(f.Vars))
		for i, v := range f.Vars {
			vars[i] = ast.Term{Name: c.x.fresh(v.Name), Pos: c.pos}
			c.terms[v.Name] = vars[i]
		}
		refusal := fmt.Sprintf("the negation of %s says \"for no %s\", which is not part of EFO1", c.written, f.Vars[0].Name)
		return &ast.Exists{Vars: vars, Body: c.formula(f.Body), Pos: c.pos, Refusal: refusal}
	case *ast.Unequal:
		return &ast.Unequal{Left: c.term(f.Left), Right: c.term(f.Right), Pos: c.pos}
	case *ast.Filter:
		return c.filter(*f)
	}
	a := f.(*ast.Atom)
	r := a.Relation
	if r.Param {
		given := c.relations[r.Name]
		r.Name, r.Param, r.Inverse = given.Name, given.Param, r.Inverse != given.Inverse
	}
	r.Pos = c.pos
	return &ast.Atom{Relation: r, Head: c.term(a.Head), Tail: c.term(a.Tail), Pos: c.pos}
}

// term returns the replacement of an argument.
func (c *copier) term(t ast.Term) ast.Term {
	switch t.Kind {
	case ast.Variable:
		return c.terms[t.Name]
	case ast.Parameter:
		return c.params[t.Name]
	}
	t.Pos = c.pos
	return t
}

// filter returns a filter with its subject and its parameters replaced.
func (c *copier) filter(f ast.Filter) *ast.Filter {
	f.Subject = c.term(f.Subject)
	f.Pos = c.pos
	f.Comparisons = slices.Clone(f.Comparisons)
	for i := range f.Comparisons {
		by := &f.Comparisons[i]
		by.Pos = c.pos
		if !by.Param {
			continue
		}
		value := c.params[by.Value]
		date := c.of.Params[c.of.Param(by.Value)].Kind == kind.Date
		by.Value = value.Name
		by.Param = value.Kind == ast.Parameter
		by.Quoted = !by.Param && date
		by.Pos = value.Pos
	}
	return &f
}
