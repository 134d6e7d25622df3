package lang

import (
	"fmt"
	"slices"
)

// scope has what the names in a template may stand for, beside relations of the model.
type scope struct {
	aliases map[string]*Alias
	*templates
}

// templates are the templates of a package.
type templates struct {
	named map[string]*Query
	// examining are the templates under examination; each is used by the one before it.
	examining []*Query
}

// expander writes out the abbreviations in the formula of one query.
type expander struct {
	reporter
	q *Query
	// variables are those that the formula has as written, taken also those that were made.
	variables, taken map[string]bool
	// atoms counts those that were written out.
	atoms int
	// borrows says that a short name or a template was.
	borrows bool
}

// expand returns a query's formula without abbreviations, whose relations have the model's names.
// All that stands for an abbreviation has the abbreviation's position.
func (q *Query) expand() (Formula, ErrorList) {
	x := &expander{reporter: reporter{src: q.src}, q: q, variables: map[string]bool{}, taken: map[string]bool{}}
	for _, v := range q.Variables() {
		x.variables[v.Name] = true
		x.taken[v.Name] = true
	}
	Walk(q.Formula, func(f Formula) {
		for _, v := range quantified(f) {
			x.variables[v.Name] = true
			x.taken[v.Name] = true
		}
		for _, t := range Terms(f) {
			x.taken[t.Name] = true
		}
	})
	plain := x.formula(q.Formula)
	q.borrows = x.borrows
	return plain, x.errs
}

// formula writes out a part of the formula.
func (x *expander) formula(f Formula) Formula {
	switch f := f.(type) {
	case *And:
		return &And{each(f.Args, x.formula), f.Pos}
	case *Or:
		return &Or{each(f.Args, x.formula), f.Pos}
	case *Not:
		return &Not{x.formula(f.Arg), f.Pos}
	case *Implies:
		return &Or{[]Formula{&Not{x.formula(f.If), f.Pos}, x.formula(f.Then)}, f.Pos}
	case *Exists:
		return &Exists{Vars: f.Vars, Body: x.formula(f.Body), Pos: f.Pos}
	case *Forall:
		refusal := "a formula of EFO1 says \"for every\" only under a negation, as in !(forall x. …)"
		return &Not{&Exists{f.Vars, &Not{x.formula(f.Body), f.Pos}, f.Pos, refusal}, f.Pos}
	case *Path:
		return x.path(f)
	case *Call:
		if t := x.template(f.Name); t != nil {
			return x.call(t, f.Args, f.Pos)
		}
		x.errs = append(x.errs, twoArguments(f.Name, len(f.Args), f.Pos))
		return missing(f.Pos)
	case *Atom:
		return x.apply(f.Relation, f.Head, f.Tail, f.Pos)
	}
	x.atoms++ // an inequality
	return f
}

// each returns what a function makes of each formula of a list.
func each(list []Formula, of func(Formula) Formula) []Formula {
	out := make([]Formula, len(list))
	for i, f := range list {
		out[i] = of(f)
	}
	return out
}

// missing stands for an abbreviation with a mistake.
func missing(pos Pos) Formula { return &Atom{Pos: pos} }

// template returns the template of a name, nil if there is none. Short names of the file come
// first.
func (x *expander) template(name string) *Query {
	if x.q.scope == nil {
		return nil
	}
	if x.q.scope.aliases[name] != nil {
		return nil
	}
	return x.q.scope.named[name]
}

// relation returns the relation that one as it was written stands for.
func (s *scope) relation(r Relation) Relation {
	if s != nil && !r.Param && !r.Quoted {
		if a := s.aliases[r.Name]; a != nil {
			a.used = true
			r.Name = a.Relation.Name
			r.Inverse = r.Inverse != a.Relation.Inverse
		}
	}
	r.Quoted = false
	return r
}

// relation returns the relation that one as it was written stands for.
func (x *expander) relation(r Relation) Relation {
	meant := x.q.scope.relation(r)
	x.borrows = x.borrows || meant.Name != r.Name || meant.Inverse != r.Inverse || r.Quoted
	return meant
}

// apply is an atom of a relation, or of a template with one parameter.
func (x *expander) apply(r Relation, head, tail Term, pos Pos) Formula {
	if t := x.template(r.Name); t != nil && !r.Param && !r.Quoted {
		if r.Inverse {
			head, tail = tail, head
		}
		return x.call(t, []Term{head, tail}, pos)
	}
	x.atoms++
	return &Atom{Relation: x.relation(r), Head: head, Tail: tail, Pos: pos}
}

// room reports whether there is room for n atoms more, which an abbreviation stands for, and
// reports a mistake if there is not.
func (x *expander) room(f fmt.Stringer, n int, pos Pos) bool {
	if x.atoms+n <= MaxAtoms {
		return true
	}
	x.add(pos, "", "%s stands for %d atoms, with which the formula is over the limit of %d", Clip(f.String(), maxClip), n, MaxAtoms)
	return false
}

// path writes out a path.
func (x *expander) path(f *Path) Formula {
	each := 0 // atoms of a step
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
	chain := Chain{Least: f.Least, Most: f.Most, Pos: f.Pos, Written: f.String()}
	chain.Via = func() Term { return Term{Name: x.fresh("via"), Pos: f.Pos} }
	chain.Step = func(from, to Term) Formula {
		var choice []Formula
		for _, r := range f.Relations {
			choice = append(choice, x.apply(r, from, to, f.Pos))
		}
		return either(choice, f.Pos)
	}
	return chain.Between(f.Head, f.Tail)
}

// Chain is a path that is written out.
type Chain struct {
	// Least and Most bound its steps; Most is positive.
	Least, Most int
	// Step makes a step between two terms, Via a variable between two steps.
	Step func(from, to Term) Formula
	Via  func() Term
	// Open leaves the variables to be quantified by who makes them.
	Open bool
	// Pos and Written are the path's place and text.
	Pos     Pos
	Written string
}

// Between is the formula that the chain leads from one term to another.
func (c Chain) Between(from, to Term) Formula {
	var choice []Formula
	if c.Least == 0 {
		choice = append(choice, &Not{&Unequal{from, to, c.Pos}, c.Pos})
	}
	if c.Least <= 1 {
		choice = append(choice, c.Step(from, to))
	}
	if c.Most > 1 {
		v := c.Via()
		rest := c
		rest.Least, rest.Most = max(1, c.Least-1), c.Most-1
		var steps Formula = &And{[]Formula{c.Step(from, v), rest.Between(v, to)}, c.Pos}
		if !c.Open {
			refusal := fmt.Sprintf("the negation of %s says \"by no path\", which is not part of EFO1", c.Written)
			steps = &Exists{[]Term{v}, steps, c.Pos, refusal}
		}
		choice = append(choice, steps)
	}
	return either(choice, c.Pos)
}

// either is the disjunction of one formula or more.
func either(choice []Formula, pos Pos) Formula {
	if len(choice) == 1 {
		return choice[0]
	}
	return &Or{choice, pos}
}

// fresh returns a name that no other variable of the query has.
func (x *expander) fresh(name string) string {
	unique := name
	for i := 2; x.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	x.taken[unique] = true
	return unique
}

// count returns how many atoms and inequalities a formula has.
func count(f Formula) (n int) {
	Walk(f, func(f Formula) {
		if Terms(f) != nil {
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
			all := reporter{q.src, slices.Concat(q.mistakes, c.errs)}
			_ = all.err() // sorted, with their lines
			q.mistakes = all.errs
		}
		t.examining = t.examining[:len(t.examining)-1]
		q.examined = true
	}
	return q.mistakes
}

// sound reports whether a template can be used, and reports a mistake where it is used if not.
func (x *expander) sound(t *Query, pos Pos) bool {
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

// call expands a template. The last args stand for its answers.
func (x *expander) call(t *Query, args []Term, pos Pos) Formula {
	x.borrows = true
	answers := t.Variables()
	used := &Call{t.Name, args, pos}
	switch {
	case !x.sound(t, pos):
		return missing(pos)
	case t.TypeFilter != nil:
		x.add(pos, "limit the answers of the query that uses it, or write an atom in place of the type",
			"query %s limits its answers to a type, which a formula cannot", t.Name)
		return missing(pos)
	case len(args) != len(t.Params)+len(answers):
		written := &Call{Name: t.Name}
		for _, p := range t.Params {
			written.Args = append(written.Args, Term{Name: p.Name})
		}
		for _, v := range answers {
			written.Args = append(written.Args, Term{Name: v.Name})
		}
		x.add(pos, "write "+written.String(), "query %s takes %d arguments, not %d", t.Name, len(t.Params)+len(answers), len(args))
		return missing(pos)
	}
	n := count(t.plain)
	if !x.room(used, n, pos) {
		return missing(pos)
	}
	x.atoms += n
	c := copier{x: x, pos: pos, terms: map[string]Term{}, params: map[string]Term{}, relations: map[string]Relation{}}
	for i, v := range answers {
		c.terms[v.Name] = args[len(t.Params)+i]
	}
	for i, p := range t.Params {
		if p.Kind == EntityKind {
			c.params[p.Name] = args[i]
		} else {
			c.relations[p.Name] = x.argument(t, p, args[i])
		}
	}
	c.written = used.String()
	return c.formula(t.plain)
}

// argument converts an argument for a parameter that is a relation.
func (x *expander) argument(t *Query, p Param, arg Term) Relation {
	if arg.Kind == Variable && x.variables[arg.Name] {
		x.add(arg.Pos, fmt.Sprintf("a relation of that name is quoted: %q", arg.Name),
			"the parameter %s of query %s stands for a relation, and %s is a variable", p.Name, t.Name, arg.Name)
	}
	return x.relation(Relation{Name: arg.Name, Param: arg.Kind == Parameter, Quoted: arg.Kind == Constant, Pos: arg.Pos})
}

// copier copies the formula of a template to where it is used.
type copier struct {
	x   *expander
	pos Pos
	// terms are what stands for the template's variables, params and relations for its
	// parameters.
	terms, params map[string]Term
	relations     map[string]Relation
	written       string
}

func (c *copier) formula(f Formula) Formula {
	switch f := f.(type) {
	case *And:
		return &And{each(f.Args, c.formula), c.pos}
	case *Or:
		return &Or{each(f.Args, c.formula), c.pos}
	case *Not:
		return &Not{c.formula(f.Arg), c.pos}
	case *Exists:
		vars := make([]Term, len(f.Vars))
		for i, v := range f.Vars {
			vars[i] = Term{Name: c.x.fresh(v.Name), Pos: c.pos}
			c.terms[v.Name] = vars[i]
		}
		refusal := fmt.Sprintf("the negation of %s says \"for no %s\", which is not part of EFO1", c.written, f.Vars[0].Name)
		return &Exists{vars, c.formula(f.Body), c.pos, refusal}
	case *Unequal:
		return &Unequal{c.term(f.Left), c.term(f.Right), c.pos}
	}
	a := f.(*Atom)
	r := a.Relation
	if r.Param {
		given := c.relations[r.Name]
		r.Name, r.Param, r.Inverse = given.Name, given.Param, r.Inverse != given.Inverse
	}
	r.Pos = c.pos
	return &Atom{Relation: r, Head: c.term(a.Head), Tail: c.term(a.Tail), Pos: c.pos}
}

// term returns what stands for an argument.
func (c *copier) term(t Term) Term {
	switch t.Kind {
	case Variable:
		return c.terms[t.Name]
	case Parameter:
		return c.params[t.Name]
	}
	t.Pos = c.pos
	return t
}

// add adds copies of the templates of another file of the package, which stays as it is.
func (t *templates) add(f *File) {
	s := &scope{map[string]*Alias{}, t}
	for _, a := range f.Aliases {
		s.aliases[a.Name] = new(*a)
	}
	for _, q := range f.all {
		if t.named[q.Name] != nil {
			continue
		}
		own := *q
		own.scope = s
		own.examined = false
		own.mistakes = nil
		if own.faulty {
			for _, e := range q.mistakes {
				own.mistakes = append(own.mistakes, new(*e))
			}
		}
		t.named[q.Name] = &own
	}
}
