package lang

import (
	"cmp"
	"maps"
	"slices"

	"github.com/efoc/efoc/lang/ast"
)

// Uses returns the occurrences of names in a file, declarations included, in source order. It omits templates
// with syntax errors.
func (f *File) Uses() []ast.Use {
	c := uses{}
	for _, a := range f.Aliases {
		c.add(ast.AliasUse, a.Name, a.Pos, a.Pos)
		c.add(ast.RelationUse, a.Relation.Name, a.Relation.Pos, ast.Pos{})
	}
	for _, q := range f.all {
		if q.Formula != nil {
			c.query(q)
		}
	}
	slices.SortStableFunc(c.list, func(a, b ast.Use) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	return c.list
}

// uses collects the uses of a file, one template after another.
type uses struct {
	list     []ast.Use
	scope    *scope
	declared ast.Pos // the template
	params   map[string]ast.Pos
	bound    []ast.Term // all quantified variables
}

func (c *uses) query(q *Query) {
	c.scope = q.scope
	c.declared = q.Pos
	c.params = map[string]ast.Pos{}
	c.bound = nil
	c.add(ast.TemplateUse, q.Name, q.Pos, q.Pos)
	for _, p := range q.Params {
		if _, twice := c.params[p.Name]; !twice {
			c.params[p.Name] = p.Pos
		}
		c.add(ast.ParamUse, p.Name, p.Pos, p.Pos)
	}
	free := q.Variables()
	c.declare(free)
	c.formula(q.Formula, free)
	slices.Reverse(c.bound) // if several have the same name, the first is shown
	for _, t := range q.Show {
		c.term(t, c.bound)
	}
	if t := q.TypeFilter; t != nil {
		c.filter(t, free)
	}
}

func (c *uses) add(kind ast.UseKind, name string, pos, decl ast.Pos) {
	if name != "" && pos.IsValid() {
		c.list = append(c.list, ast.Use{Kind: kind, Name: name, Pos: pos, Decl: decl, Template: c.declared})
	}
}

func (c *uses) declare(variables []ast.Term) {
	for _, v := range variables {
		c.add(ast.VariableUse, v.Name, v.Pos, v.Pos)
	}
}

// formula collects the uses in a formula; scope holds its bound variables.
func (c *uses) formula(f ast.Formula, scope []ast.Term) {
	if vars := ast.Quantified(f); vars != nil {
		c.declare(vars)
		c.bound = append(c.bound, vars...)
		scope = slices.Concat(scope, vars)
	}
	switch f := f.(type) {
	case *ast.Atom:
		c.relation(f.Relation)
	case *ast.Path:
		for _, r := range f.Relations {
			c.relation(r)
		}
	case *ast.Filter:
		for _, by := range f.Comparisons {
			if by.Param {
				c.add(ast.ParamUse, by.Value, by.Pos, c.params[by.Value])
			}
		}
	case *ast.TypeFilter: // where none is allowed
		c.filter(f, scope)
	}
	for _, t := range ast.Terms(f) {
		c.term(*t, scope)
	}
	for _, part := range ast.Parts(f) {
		c.formula(part, scope)
	}
}

func (c *uses) filter(l *ast.TypeFilter, scope []ast.Term) {
	c.relation(l.AsWritten())
	c.term(l.Entity, nil)
	if !slices.ContainsFunc(scope, func(v ast.Term) bool { return v.Pos == l.Variable.Pos }) {
		c.term(l.Variable, scope)
	}
}

// relation adds the use of a name as a relation.
func (c *uses) relation(r ast.Relation) {
	alias := c.scope.aliases[r.Name]
	switch {
	case r.Param:
		c.add(ast.ParamUse, r.Name, r.Pos, c.params[r.Name])
	case r.Quoted || alias == nil:
		c.add(ast.RelationUse, r.Name, r.Pos, ast.Pos{})
	default:
		c.add(ast.AliasUse, r.Name, r.Pos, alias.Pos)
	}
}

func (c *uses) term(t ast.Term, scope []ast.Term) {
	switch t.Kind {
	case ast.Constant:
		c.add(ast.EntityUse, t.Name, t.Pos, ast.Pos{})
	case ast.Parameter:
		c.add(ast.ParamUse, t.Name, t.Pos, c.params[t.Name])
	case ast.Variable:
		var decl ast.Pos
		for _, v := range scope {
			if v.Name == t.Name {
				decl = v.Pos // the innermost
			}
		}
		c.add(ast.VariableUse, t.Name, t.Pos, decl)
	}
}

// place returns the position where the query's file names a relation of the model: in the query, or where its alias
// is declared.
func (q *Query) place(r ast.Relation) ast.Pos {
	if q.scope == nil {
		return r.Pos
	}
	c := uses{}
	c.query(q)
	for _, u := range c.list {
		if u.Kind == ast.RelationUse && u.Name == r.Name {
			return u.Pos
		}
		if a := q.alias(u); a != nil && a.Relation.Name == r.Name {
			return a.Relation.Pos
		}
	}
	return r.Pos
}

// alias returns the alias that a use refers to, nil if it is no alias.
func (q *Query) alias(u ast.Use) *ast.Alias {
	if u.Kind != ast.AliasUse {
		return nil
	}
	return q.scope.aliases[u.Name]
}

// Aliases returns the aliases of the file that the query uses, sorted by name.
func (q *Query) Aliases() []*ast.Alias {
	if q.scope == nil {
		return nil
	}
	c := uses{}
	c.query(q)
	used := map[string]*ast.Alias{}
	for _, u := range c.list {
		if a := q.alias(u); a != nil {
			used[a.Name] = a
		}
	}
	names := slices.Sorted(maps.Keys(used))
	list := make([]*ast.Alias, len(names))
	for i, name := range names {
		list[i] = used[name]
	}
	return list
}
