package lang

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// checker checks the names, kinds, scopes and size of one query.
type checker struct {
	reporter
	q *Query
	// scope holds the variables that are bound at the current node.
	scope []binding
	// params are the query's parameters by name, and used those that the
	// formula mentions.
	params map[string]Param
	used   map[string]bool
	// reported are the names of unknown variables, each reported once.
	reported map[string]bool
	// freeUsed says that the free variable occurs.
	freeUsed bool
	// partial says that parts of the formula are missing, so that a name
	// without use is not a mistake.
	partial bool
}

// binding is a variable in scope.
type binding struct {
	term Term
	used bool
}

// checkNames returns the mistakes of a query that can be found without normalizing it.
// Where the query is partial, an atom may lack its terms.
func checkNames(q *Query, partial bool) ErrorList {
	c := &checker{
		reporter: reporter{src: q.src},
		q:        q,
		params:   make(map[string]Param),
		used:     make(map[string]bool),
		reported: make(map[string]bool),
		partial:  partial,
	}
	if !c.size() {
		return c.errs
	}
	c.paramNames()
	c.formula(q.Formula, true)
	if partial {
		return c.errs
	}
	for _, p := range q.Params {
		if !c.used[p.Name] {
			c.used[p.Name] = true
			c.add(p.Pos, "", "parameter %s is never used", p.Name)
		}
	}
	if !c.freeUsed {
		c.add(q.FreePos, "", "the free variable %s does not occur in the formula", q.Free)
	}
	return c.errs
}

// size checks the limits that bound the other checks.
func (c *checker) size() bool {
	if deep := depth(c.q.Formula, 0, false, true); deep > MaxNesting {
		c.add(c.q.Pos, "", "the formula nests more than %d deep, which is the limit", MaxNesting)
		return false
	}
	before := len(c.errs)
	atoms, variables := 0, 0
	walk(c.q.Formula, func(f Formula) {
		switch f := f.(type) {
		case *Atom:
			atoms++
		case *Exists:
			variables += len(f.Vars)
			if len(f.Vars) == 0 {
				c.add(f.Pos, "", "a quantifier needs a variable")
			}
		case *And:
			if len(f.Args) == 0 {
				c.add(f.Pos, "", "a conjunction needs an operand")
			}
		case *Or:
			if len(f.Args) == 0 {
				c.add(f.Pos, "", "a disjunction needs an operand")
			}
		}
	})
	if atoms > MaxAtoms {
		c.add(c.q.Pos, "", "the formula has %d atoms, over the limit of %d", atoms, MaxAtoms)
	}
	if variables > MaxVariables {
		c.add(c.q.Pos, "", "the formula has %d quantified variables, over the limit of %d", variables, MaxVariables)
	}
	if n := len(c.q.Params); n > MaxParams {
		c.add(c.q.Pos, "", "the query has %d parameters, over the limit of %d", n, MaxParams)
	}
	return len(c.errs) == before
}

// paramNames checks that no two parameters share a name.
func (c *checker) paramNames() {
	for _, p := range c.q.Params {
		if before, ok := c.params[p.Name]; ok {
			c.add(p.Pos, "", "parameter %s is already declared at %s", p.Name, at(before.Pos))
			continue
		}
		c.params[p.Name] = p
	}
}

// formula checks a part of the formula; positive says that it stands below an
// even number of negations.
func (c *checker) formula(f Formula, positive bool) {
	switch f := f.(type) {
	case *And:
		for _, a := range f.Args {
			c.formula(a, positive)
		}
	case *Or:
		for _, a := range f.Args {
			c.formula(a, positive)
		}
	case *Not:
		c.formula(f.Arg, !positive)
	case *Exists:
		c.exists(f, positive)
	case *Atom:
		c.atom(f)
	}
}

// exists checks a quantifier.
func (c *checker) exists(f *Exists, positive bool) {
	if !positive {
		c.add(f.Pos, universalHint, "a negated exists says \"for no %s\", which is not part of EFO1", f.Vars[0].Name)
	}
	outer := len(c.scope)
	for _, v := range f.Vars {
		if v.Name == c.q.Free {
			c.add(v.Pos, "give the bound variable another name", "%s is the free variable and cannot be quantified", v.Name)
		} else if i := c.find(v.Name); i >= 0 {
			c.add(v.Pos, "give one of them another name", "%s is already bound at %s", v.Name, at(c.scope[i].term.Pos))
			// The formula may mean either of the two: count both as used.
			c.scope[i].used = true
		}
		c.scope = append(c.scope, binding{term: v})
	}
	c.formula(f.Body, positive)
	for _, b := range c.scope[outer:] {
		if !b.used && !c.partial {
			c.add(b.term.Pos, "", "%s is quantified but never used", b.term.Name)
		}
	}
	c.scope = c.scope[:outer]
}

// find returns the index in scope of the innermost variable of a name, or -1.
func (c *checker) find(name string) int {
	for i := len(c.scope) - 1; i >= 0; i-- {
		if c.scope[i].term.Name == name {
			return i
		}
	}
	return -1
}

// atom checks an atom.
func (c *checker) atom(a *Atom) {
	if r := a.Relation; r.Param {
		c.param(r.Name, RelationKind, r.Pos)
	} else if r.Name == "" && !c.partial {
		c.add(r.Pos, "", "a relation's name cannot be empty")
	}
	c.term(a.Head)
	c.term(a.Tail)
	if a.Head.Kind != Variable && a.Tail.Kind != Variable {
		c.add(a.Pos, "whether it holds has no influence on which entities answer the query", "the atom %s has no variable", a)
	}
}

// term checks an argument.
func (c *checker) term(t Term) {
	switch {
	case t.Name == "":
		if !c.partial {
			c.add(t.Pos, "", "an argument's name cannot be empty")
		}
	case t.Kind == Parameter:
		c.param(t.Name, EntityKind, t.Pos)
	case t.Kind == Constant:
	case t.Name == c.q.Free:
		c.freeUsed = true
		// A quantifier over the free variable is reported where it stands.
		if i := c.find(t.Name); i >= 0 {
			c.scope[i].used = true
		}
	default:
		if i := c.find(t.Name); i >= 0 {
			c.scope[i].used = true
		} else if !c.reported[t.Name] {
			c.reported[t.Name] = true
			c.add(t.Pos, c.unboundHint(t.Name), "undefined variable %s", t.Name)
		}
	}
}

// unboundHint says what an undefined variable may be meant for.
func (c *checker) unboundHint(name string) string {
	if p, ok := c.params[name]; ok && p.Kind == EntityKind {
		return fmt.Sprintf("write $%s for the parameter", name)
	}
	known := []string{c.q.Free}
	for _, b := range c.scope {
		known = append(known, b.term.Name)
	}
	if near := Nearest(name, known, maxNearest); len(near) > 0 && !looksLikeEntity(name) {
		for _, n := range near {
			// It may be the one that is meant: do not report it as unused too.
			if i := c.find(n); i >= 0 {
				c.scope[i].used = true
			}
			c.freeUsed = c.freeUsed || n == c.q.Free
		}
		return didYouMean(near)
	}
	if utf8.RuneCountInString(name) == 1 {
		return fmt.Sprintf("bind it: exists %s. …", name)
	}
	return fmt.Sprintf("an entity is quoted: %s; a variable is bound: exists %s. …", strconv.Quote(name), name)
}

// looksLikeEntity reports whether a name looks like an entity's rather than a
// variable's: it starts with a capital letter and has more than one.
func looksLikeEntity(name string) bool {
	first, size := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first) && size < len(name)
}

// param checks a use of a parameter.
func (c *checker) param(name string, kind Kind, pos Pos) {
	p, ok := c.params[name]
	switch {
	case ok && p.Kind != kind:
		c.used[name] = true
		c.add(pos, fmt.Sprintf("it is declared as %s at %s", article(p.Kind), at(p.Pos)),
			"$%s stands for %s here", name, article(kind))
	case ok:
		c.used[name] = true
	case len(c.q.Params) == 0 && c.q.Name == "":
		c.add(pos, "only templates have parameters: put a name in quotes", "unknown parameter $%s", name)
	default:
		var known []string
		for _, p := range c.q.Params {
			if p.Kind == kind {
				known = append(known, p.Name)
			}
		}
		near := Nearest(name, known, maxNearest)
		for i, n := range near {
			// It may be the one that is meant: do not report it as unused too.
			c.used[n] = true
			near[i] = "$" + n
		}
		hint := didYouMean(near)
		if hint == "" {
			hint = fmt.Sprintf("declare it after the query's name: %s %s", name, kind)
		}
		c.add(pos, hint, "unknown parameter $%s", name)
	}
}

// article returns a kind with its article.
func article(k Kind) string {
	if k == EntityKind {
		return "an entity"
	}
	return "a relation"
}
