package lang

import (
	"cmp"
	"maps"
	"slices"
)

// UseKind says what a name in a file stands for.
type UseKind uint8

// The kinds of uses.
const (
	TemplateUse UseKind = iota
	AliasUse
	ParamUse
	VariableUse
	EntityUse
	RelationUse
)

// Use is a place in a file that names something.
type Use struct {
	Kind UseKind
	Name string
	Pos  Pos
	// Decl is where a template, alias, parameter or variable is declared, perhaps in another file
	// of the package; it is invalid for names of the model, and for what nothing declares.
	Decl Pos
	// Query is the template in which the name stands, nil above the first one.
	Query *Query
}

// Uses returns the places in a file that name something, declarations included, in source order.
// It leaves out templates with syntax errors.
func (f *File) Uses() []Use {
	c := uses{}
	for _, a := range f.Aliases {
		c.add(AliasUse, a.Name, a.Pos, a.Pos)
		c.add(RelationUse, a.Relation.Name, a.Relation.Pos, Pos{})
	}
	for _, q := range f.all {
		if q.Formula != nil {
			c.query(q)
		}
	}
	slices.SortStableFunc(c.list, func(a, b Use) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	return c.list
}

// uses collects the uses of a file, one template after another.
type uses struct {
	list   []Use
	q      *Query
	params map[string]Pos
	bound  []Term // all quantified variables
}

func (c *uses) query(q *Query) {
	c.q = q
	c.params = map[string]Pos{}
	c.bound = nil
	c.add(TemplateUse, q.Name, q.Pos, q.Pos)
	for _, p := range q.Params {
		if _, twice := c.params[p.Name]; !twice {
			c.params[p.Name] = p.Pos
		}
		c.add(ParamUse, p.Name, p.Pos, p.Pos)
	}
	free := q.Variables()
	c.declare(free)
	c.formula(q.Formula, free)
	slices.Reverse(c.bound) // of several with a name, the first is shown
	for _, t := range q.Show {
		c.term(t, c.bound)
	}
	if t := q.TypeFilter; t != nil {
		c.filter(t, free)
	}
}

func (c *uses) add(kind UseKind, name string, pos, decl Pos) {
	if name != "" && pos.IsValid() {
		c.list = append(c.list, Use{kind, name, pos, decl, c.q})
	}
}

func (c *uses) declare(variables []Term) {
	for _, v := range variables {
		c.add(VariableUse, v.Name, v.Pos, v.Pos)
	}
}

// formula collects the uses in a formula, in which the variables of scope are bound.
func (c *uses) formula(f Formula, scope []Term) {
	if vars := quantified(f); vars != nil {
		c.declare(vars)
		c.bound = append(c.bound, vars...)
		scope = slices.Concat(scope, vars)
	}
	var used *Query // with the terms as arguments
	switch f := f.(type) {
	case *Atom:
		used = c.relation(f.Relation)
	case *Path:
		for _, r := range f.Relations {
			c.relation(r)
		}
	case *Call:
		used = c.relation(Relation{Name: f.Name, Pos: f.Pos})
	case *filterNode: // where none may stand
		c.filter(f.TypeFilter, scope)
	}
	for i, t := range Terms(f) {
		if used != nil && i < len(used.Params) && used.Params[i].Kind == RelationKind {
			c.relation(Relation{Name: t.Name, Param: t.Kind == Parameter, Quoted: t.Kind == Constant, Pos: t.Pos})
		} else {
			c.term(*t, scope)
		}
	}
	for _, part := range parts(f) {
		c.formula(part, scope)
	}
}

func (c *uses) filter(l *TypeFilter, scope []Term) {
	r := l.asWritten()
	r.Quoted = r.Quoted || c.q.scope.aliases[r.Name] == nil // no template's
	c.relation(r)
	c.term(l.Entity, nil)
	if !slices.ContainsFunc(scope, func(v Term) bool { return v.Pos == l.variable.Pos }) {
		c.term(l.variable, scope)
	}
}

// relation adds what stands as a relation; it returns a template that does.
func (c *uses) relation(r Relation) *Query {
	s := c.q.scope
	used := s.named[r.Name]
	alias := s.aliases[r.Name]
	switch {
	case r.Param:
		c.add(ParamUse, r.Name, r.Pos, c.params[r.Name])
	case r.Quoted || alias == nil && used == nil:
		c.add(RelationUse, r.Name, r.Pos, Pos{})
	case alias != nil:
		c.add(AliasUse, r.Name, r.Pos, alias.Pos)
	default:
		c.add(TemplateUse, r.Name, r.Pos, used.Pos)
		return used
	}
	return nil
}

func (c *uses) term(t Term, scope []Term) {
	switch t.Kind {
	case Constant:
		c.add(EntityUse, t.Name, t.Pos, Pos{})
	case Parameter:
		c.add(ParamUse, t.Name, t.Pos, c.params[t.Name])
	case Variable:
		var decl Pos
		for _, v := range scope {
			if v.Name == t.Name {
				decl = v.Pos // the innermost
			}
		}
		c.add(VariableUse, t.Name, t.Pos, decl)
	}
}

// place returns where to change the name of a relation that the query asks for. If a template of
// another file names it, that is where the query uses the template.
func (q *Query) place(r Relation) Pos {
	if q.scope == nil {
		return r.Pos
	}
	if pos := q.naming(r.Name); pos.IsValid() {
		return pos
	}
	return r.Pos
}

// naming returns where the query's file names a relation of the model for the query: in the query or
// where its short name is declared, or else in a template that the query uses. It is invalid if
// nothing does.
func (q *Query) naming(relation string) Pos {
	c := uses{}
	c.query(q)
	for _, u := range c.list {
		if u.Kind == RelationUse && u.Name == relation {
			return u.Pos
		}
		if a := q.alias(u); a != nil && a.Relation.Name == relation {
			return a.Relation.Pos
		}
	}
	for _, u := range c.list {
		if u.Kind != TemplateUse || u.Pos == q.Pos {
			continue
		}
		if t := q.scope.named[u.Name]; t.src == q.src {
			if pos := t.naming(relation); pos.IsValid() {
				return pos
			}
		}
	}
	return Pos{}
}

// alias returns the alias that a use of the query is one of, nil if it is another use.
func (q *Query) alias(u Use) *Alias {
	if u.Kind != AliasUse {
		return nil
	}
	return q.scope.aliases[u.Name]
}

// Aliases returns the aliases of the file that the query uses, in the order of their names. It does not
// look into the templates that the query uses.
func (q *Query) Aliases() []*Alias {
	if q.scope == nil {
		return nil
	}
	c := uses{}
	c.query(q)
	used := map[string]*Alias{}
	for _, u := range c.list {
		if a := q.alias(u); a != nil {
			used[a.Name] = a
		}
	}
	names := slices.Sorted(maps.Keys(used))
	list := make([]*Alias, len(names))
	for i, name := range names {
		list[i] = used[name]
	}
	return list
}
