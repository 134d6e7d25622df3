package lang

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
)

// typeHint says what to write instead of a type that is unknown without its relation.
func typeHint(l *ast.TypeFilter) string {
	return fmt.Sprintf("write %s: RELATION(%q), with the relation that leads to types, or make the model with a type relation",
		l.Variable.Name, l.Entity.Name)
}

// typeFilter converts a type.
func (p *parser) typeFilter(variable lexer.Token, n *typeNode) *ast.TypeFilter {
	l := &ast.TypeFilter{Pos: position(variable.Pos), Variable: p.term(variable)}
	name := n.Name
	if n.Entity != nil {
		l.Written = p.relation(n.Name, n.Inverse)
		l.Relation = p.scope.relation(l.Written)
		name = *n.Entity
	}
	l.Entity = ast.Term{Kind: ast.Constant, Name: p.name(name), Pos: position(name.Pos)}
	return l
}

// takeTypeFilter moves the type filter from the formula to the query. It applies to all answers, so it may only
// be inside & and exists.
func (p *parser) takeTypeFilter(q *Query) {
	rest := p.withoutTypeFilters(q.Formula, func(l *ast.TypeFilter) {
		if q.TypeFilter != nil {
			p.add(l.Pos, "ask for the other one with an atom", "%s has a type already, at %s", l.Variable, at(q.TypeFilter.Pos))
			return
		}
		q.TypeFilter = l
	})
	if rest == nil {
		p.add(q.TypeFilter.Pos, "a type leaves out answers of a formula: join one by &", "there is nothing to answer but a type")
		return
	}
	q.Formula = rest
}

// withoutTypeFilters removes the type filters from a formula and calls found with each. It returns nil if
// nothing is left.
func (p *parser) withoutTypeFilters(f ast.Formula, found func(*ast.TypeFilter)) ast.Formula {
	switch f := f.(type) {
	case *ast.TypeFilter:
		found(f)
		return nil
	case *ast.Exists:
		if body := p.withoutTypeFilters(f.Body, found); body != nil {
			return &ast.Exists{Vars: f.Vars, Body: body, Pos: f.Pos}
		}
		return nil
	case *ast.And:
		var args []ast.Formula
		for _, a := range f.Args {
			if rest := p.withoutTypeFilters(a, found); rest != nil {
				args = append(args, rest)
			}
		}
		switch len(args) {
		case 0:
			return nil
		case 1:
			return args[0]
		}
		return &ast.And{Args: args, Pos: f.Pos}
	}
	ast.Walk(f, func(part ast.Formula) {
		if l, ok := part.(*ast.TypeFilter); ok {
			p.add(l.Pos, "put it in front of the formula: "+l.Variable.Name+": "+l.String()+" & (…)",
				"a type filter applies to the whole query and cannot stand under | or !")
		}
	})
	return f
}

// checkTypeFilter reports a type filter on a variable other than the only free one.
func (p *parser) checkTypeFilter(q *Query) {
	l := q.TypeFilter
	if l == nil {
		return
	}
	hint := "say it with an atom, such as instance_of(" + l.Variable.Name + ", " + strconv.Quote(l.Entity.Name) + ")"
	switch {
	case q.Free == "":
		p.add(l.Pos, hint, "a sentence, which has no free variable, has no answers to limit to a type")
	case len(q.Others) > 0:
		p.add(l.Pos, hint, "a query with several answer variables has no type filter")
	case l.Variable.Name != q.Free:
		p.add(l.Pos, hint,
			"only the answers, %s, can be limited to a type, not %s", q.Free, l.Variable.Name)
	}
}
