package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime/kind"
)

// checker checks the names, kinds, scopes and size of one query, and converts its formula to negation normal
// form on the way.
type checker struct {
	reporter
	q *Query
	// partial says that parts of the formula are missing, so that empty and unused names are no mistakes.
	partial bool
	// scope holds the variables bound at the current node, free ones first.
	scope []binding
	// taken holds the distinct names in use; reserved holds the names that other quantifiers have written.
	taken, reserved map[string]bool
	params          map[string]*declared
	// reported holds the names of unknown variables, to report each once.
	reported map[string]bool
	// sites counts the atoms.
	sites int
}

// binding is a variable in scope.
type binding struct {
	term ast.Term
	// distinct is the variable's name in the normal form.
	distinct string
	used     bool
}

// declared is a parameter of the query.
type declared struct {
	Param
	used bool
}

// check returns the negation normal form of a query's formula, usable only if there are no mistakes, and the
// checker, which holds the mistakes. In a partial query, an atom may lack its terms.
func check(q *Query, partial bool) (nnf, *checker) {
	c := &checker{
		reporter: reporter{src: q.Source},
		q:        q,
		partial:  partial,
		taken:    make(map[string]bool),
		reserved: make(map[string]bool),
		params:   make(map[string]*declared),
		reported: make(map[string]bool),
	}
	c.nests(q.Formula)
	if len(c.errs) > 0 {
		return nnf{}, c
	}
	q.plain, c.errs = q.expand()
	c.partial = partial || len(c.errs) > 0
	before := len(c.errs)
	c.nests(q.plain)
	if len(c.errs) == before {
		c.size(q.plain)
	}
	if len(c.errs) > before {
		return nnf{}, c
	}
	for _, v := range q.Variables() {
		if c.taken[v.Name] {
			c.add(v.Pos, "", "answer variable %s is named twice", v.Name)
			continue
		}
		c.scope = append(c.scope, binding{term: v, distinct: v.Name})
		c.taken[v.Name] = true
	}
	for _, p := range q.Params {
		if before := c.params[p.Name]; before != nil {
			c.add(p.Pos, "", "parameter %s is already declared at %s", p.Name, at(before.Pos))
		} else {
			c.params[p.Name] = &declared{Param: p}
		}
	}
	tree := c.formula(q.plain, false)
	if c.partial {
		return tree, c
	}
	for _, p := range q.Params {
		if d := c.params[p.Name]; !d.used {
			d.used = true
			c.add(p.Pos, "", "parameter %s is never used", p.Name)
		}
	}
	for _, b := range c.scope {
		if !b.used {
			c.add(b.term.Pos, "", "the free variable %s does not occur in the formula", b.term.Name)
		}
	}
	return tree, c
}

// nests checks the nesting depth of a formula.
func (c *checker) nests(f ast.Formula) {
	if ast.Depth(f) > limits.Nesting {
		c.add(c.q.Pos, "", "the formula nests more than %d deep, which is the limit", limits.Nesting)
	}
}

// size checks the limits that bound the work of the other checks.
func (c *checker) size(plain ast.Formula) {
	atoms := 0
	variables := 0
	ast.Walk(plain, func(f ast.Formula) {
		switch f := f.(type) {
		case *ast.Atom, *ast.Unequal, *ast.Filter:
			atoms++
		case *ast.Exists:
			variables += len(f.Vars)
			if len(f.Vars) == 0 {
				c.add(f.Pos, "", "a quantifier needs a variable")
			}
			for _, v := range f.Vars {
				c.reserved[v.Name] = true
			}
		case *ast.And:
			if len(f.Args) == 0 {
				c.add(f.Pos, "", "a conjunction needs an operand")
			}
		case *ast.Or:
			if len(f.Args) == 0 {
				c.add(f.Pos, "", "a disjunction needs an operand")
			}
		}
	})
	if atoms > limits.Atoms {
		c.add(c.q.Pos, "", "the formula has %d atoms, over the limit of %d", atoms, limits.Atoms)
	}
	if variables > limits.Variables {
		c.add(c.q.Pos, "", "the formula has %d quantified variables, over the limit of %d", variables, limits.Variables)
	}
	if n := len(c.q.Others) + 1; n > limits.AnswerVariables {
		c.add(c.q.Others[0].Pos, "", "the query has %d answer variables, over the limit of %d", n, limits.AnswerVariables)
	}
	if n := len(c.q.Params); n > limits.Params {
		c.add(c.q.Pos, "", "the query has %d parameters, over the limit of %d", n, limits.Params)
	}
}

// formula checks a part of the formula and returns its normal form, negated if negated is set.
func (c *checker) formula(f ast.Formula, negated bool) nnf {
	switch f := f.(type) {
	case *ast.Not:
		return c.formula(f.Arg, !negated)
	case *ast.Exists:
		return c.exists(f, negated)
	case *ast.Atom:
		c.relation(f.Relation)
		return c.literal(f, ast.Literal{Negated: negated, Relation: f.Relation, Head: f.Head, Tail: f.Tail, Pos: f.Pos})
	case *ast.Unequal:
		return c.literal(f, ast.Literal{Kind: ast.SameAtom, Negated: !negated, Head: f.Left, Tail: f.Right, Pos: f.Pos})
	case *ast.Filter:
		c.comparisons(f.Comparisons)
		l := ast.Literal{Kind: ast.FilterAtom, Condition: f.Condition, Head: f.Subject, Pos: f.Pos}
		l.Condition.Negated = f.Negated != negated
		return c.literal(f, l)
	}
	_, or := f.(*ast.Or)
	n := nnf{or: or != negated}
	for _, a := range ast.Parts(f) {
		n.args = append(n.args, c.formula(a, negated))
	}
	return n
}

// exists checks a quantifier.
func (c *checker) exists(f *ast.Exists, negated bool) nnf {
	if negated {
		c.add(f.Pos, universalHint, "%s", cmp.Or(f.Refusal, fmt.Sprintf("a negated exists says \"for no %s\", which is not part of EFO1", f.Vars[0].Name)))
	}
	outer := len(c.scope)
	for _, v := range f.Vars {
		if before := c.find(v.Name); before != nil {
			// The formula may mean either of the two: count both as used.
			before.used = true
			if ast.HasName(c.q.Variables(), v.Name) {
				c.add(v.Pos, "give the bound variable another name", "%s is the free variable and cannot be quantified", v.Name)
			} else {
				c.add(v.Pos, "give one of them another name", "%s is already bound at %s", v.Name, at(before.term.Pos))
			}
		}
		c.scope = append(c.scope, binding{term: v, distinct: c.distinct(v.Name)})
	}
	body := c.formula(f.Body, negated)
	for _, b := range c.scope[outer:] {
		if !b.used && !c.partial {
			c.add(b.term.Pos, "", "%s is quantified but never used", b.term.Name)
		}
	}
	c.scope = c.scope[:outer]
	return body
}

// find returns the innermost variable of that name in scope; nil if there is none.
func (c *checker) find(name string) *binding {
	for i := len(c.scope) - 1; i >= 0; i-- {
		if c.scope[i].term.Name == name {
			return &c.scope[i]
		}
	}
	return nil
}

// distinct returns a unique name for a quantified variable.
func (c *checker) distinct(name string) string {
	unique := name
	for i := 2; c.taken[unique] || unique != name && c.reserved[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	c.taken[unique] = true
	return unique
}

// relation checks the relation of an atom.
func (c *checker) relation(r ast.Relation) {
	if r.Param {
		c.param(r.Name, r.Pos, kind.Relation)
	} else if r.Name == "" && !c.partial {
		c.add(r.Pos, "", "a relation's name cannot be empty")
	}
}

// literal checks the arguments of an atom, and completes its normal form.
func (c *checker) literal(f ast.Formula, l ast.Literal) nnf {
	if len(variablesOf(l)) == 0 {
		switch {
		case l.Kind == ast.FilterAtom:
			c.add(l.Pos, filterHint, "%s has no variable", f)
		case c.q.Free != "":
			c.add(l.Pos, noVariableHint, "the atom %s has no variable", f)
		case l.Kind == ast.SameAtom:
			c.add(l.Pos, groundHint, "%s compares two entities", f)
		}
	}
	for _, t := range l.Terms() {
		*t = c.term(*t)
	}
	l.Site = c.sites
	c.sites++
	return nnf{leaf: l}
}

// noVariableHint explains why an atom without variables is useless.
const noVariableHint = "leave it out: whether it holds does not depend on the answer, so it rules out all entities or none"

// filterHint explains the use of filters.
const filterHint = "a filter leaves out values of a variable: write population(x) > 1000000 beside an atom that has x"

// groundHint explains what to do with a comparison of entities in a sentence.
const groundHint = "leave it out: compare them before you ask"

// term checks an argument and gives a variable its distinct name.
func (c *checker) term(t ast.Term) ast.Term {
	switch {
	case t.Name == "":
		if !c.partial {
			c.add(t.Pos, "", "an argument's name cannot be empty")
		}
	case t.Kind == ast.Parameter:
		c.param(t.Name, t.Pos, kind.Entity)
	case t.Kind == ast.Constant:
	default:
		if b := c.find(t.Name); b != nil {
			b.used = true
			t.Name = b.distinct
		} else if !c.reported[t.Name] {
			c.reported[t.Name] = true
			c.unbound(t)
		}
	}
	return t
}

// comparisons checks that a filter compares with numbers or dates.
func (c *checker) comparisons(list []ast.Comparison) {
	date := make([]bool, len(list))
	for i, by := range list {
		date[i] = by.Quoted
		if !by.Param {
			continue
		}
		c.param(by.Value, by.Pos, kind.Number, kind.Date)
		if p := c.params[by.Value]; p != nil {
			date[i] = p.Kind == kind.Date
		}
	}
	for i := 1; i < len(list) && !c.partial; i++ {
		if date[i] != date[0] {
			c.add(list[i].Pos, "both ends of a range are numbers, or both are dates in quotes", "one end is a number, and the other is a date")
		}
	}
}

// unbound reports an undefined variable, and suggests the variable, parameter or entity it may be meant for.
func (c *checker) unbound(t ast.Term) {
	hint, near, bare := c.unboundHint(t.Name)
	e := c.add(t.Pos, hint, "undefined variable %s", t.Name)
	e.Nearest = near
	if bare {
		e.bare = []ast.Term{t}
	}
}

// unboundHint also reports whether the name resembles none in the query, so that it may be an entity's.
func (c *checker) unboundHint(name string) (hint string, near []string, bare bool) {
	if p := c.params[name]; p != nil && p.Kind == kind.Entity {
		return fmt.Sprintf("write $%s for the parameter", name), []string{"$" + name}, false
	}
	var known []string
	for _, b := range c.scope {
		known = append(known, b.term.Name)
	}
	if near := nearest.Names(name, known, nearest.Max); len(near) > 0 && !looksLikeEntity(name) {
		// One of them may be meant: do not report it as unused too.
		for _, n := range near {
			c.find(n).used = true
		}
		return nearest.Hint(near), near, false
	}
	if c.q.Free == "" && c.q.Name != "" && !looksLikeEntity(name) {
		return fmt.Sprintf("to ask for it, name it before the =: query %s %s = …; otherwise bind it: exists %[2]s. …", c.q.Name, name), nil, true
	}
	if utf8.RuneCountInString(name) == 1 {
		return fmt.Sprintf("bind it: exists %s. …", name), nil, true
	}
	quoted := strconv.Quote(name)
	return fmt.Sprintf("an entity is quoted: %s; a variable is bound: exists %s. …", quoted, name), []string{quoted}, true
}

// looksLikeEntity reports whether a name looks like an entity rather than a variable: it starts with a capital
// letter and has more than one.
func looksLikeEntity(name string) bool {
	first, size := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first) && size < len(name)
}

// param checks a use of a parameter that must have one of the given kinds.
func (c *checker) param(name string, pos ast.Pos, kinds ...kind.Param) {
	if p := c.params[name]; p != nil {
		p.used = true
		if !slices.Contains(kinds, p.Kind) {
			c.add(pos, fmt.Sprintf("it is declared as %s at %s", p.Kind.Article(), at(p.Pos)),
				"$%s stands for %s here", name, articles(kinds))
		}
		return
	}
	if len(c.q.Params) == 0 && c.q.Name == "" {
		c.add(pos, "only templates have parameters: "+plainHint(kinds), "unknown parameter $%s", name)
		return
	}
	var known []string
	for _, p := range c.q.Params {
		if slices.Contains(kinds, p.Kind) {
			known = append(known, p.Name)
		}
	}
	hint := fmt.Sprintf("declare it after the query's name: %s %s", name, kinds[0])
	near := nearest.Names(name, known, nearest.Max)
	if len(near) > 0 {
		// One of them may be meant: do not report it as unused too.
		for i, n := range near {
			c.params[n].used = true
			near[i] = "$" + n
		}
		hint = nearest.Hint(near)
	}
	c.add(pos, hint, "unknown parameter $%s", name).Nearest = near
}

// plainHint says what to write instead of a parameter of the given kinds.
func plainHint(kinds []kind.Param) string {
	if kinds[0].IsValue() {
		return "write a number, or a date in quotes"
	}
	return "put a name in quotes"
}

// articles joins kinds, each with its article.
func articles(kinds []kind.Param) string {
	text := make([]string, len(kinds))
	for i, k := range kinds {
		text[i] = k.Article()
	}
	return strings.Join(text, " or ")
}
