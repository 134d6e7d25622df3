package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
)

// and returns the conjunction of parts.
func and(parts []ast.Formula, pos ast.Pos) ast.Formula {
	return joined(parts, func(args []ast.Formula) ast.Formula { return &ast.And{Args: args, Pos: pos} })
}

// or returns the disjunction of parts.
func or(parts []ast.Formula, pos ast.Pos) ast.Formula {
	return joined(parts, func(args []ast.Formula) ast.Formula { return &ast.Or{Args: args, Pos: pos} })
}

// joined joins several parts with join; it skips nil parts, which are faulty.
func joined(parts []ast.Formula, join func([]ast.Formula) ast.Formula) ast.Formula {
	parts = slices.DeleteFunc(parts, func(f ast.Formula) bool { return f == nil })
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return join(parts)
}

// variables returns the variables of a formula, each at its first position.
func variables(f ast.Formula) (list []ast.Term) {
	ast.Walk(f, func(f ast.Formula) {
		for _, t := range ast.Terms(f) {
			if t.Kind == ast.Variable && !ast.HasName(list, t.Name) {
				list = append(list, *t)
			}
		}
	})
	return list
}

// constants reports whether a formula contains an entity.
func constants(f ast.Formula) (found bool) {
	if f == nil {
		return false
	}
	ast.Walk(f, func(f ast.Formula) {
		for _, t := range ast.Terms(f) {
			found = found || t.Kind == ast.Constant
		}
	})
	return found
}

// truth is the truth value of a formula if it does not depend on the variables.
type truth int

const (
	open truth = iota // it depends on the variables
	never
	always
)

// simplify removes the triples, inequalities and filters that settle decides to be always true or always false.
func simplify(f ast.Formula, settle func(ast.Formula) truth) (ast.Formula, truth) {
	join := func(args []ast.Formula, ends, rests truth) ([]ast.Formula, truth) {
		var kept []ast.Formula
		for _, a := range args {
			switch a, t := simplify(a, settle); t {
			case ends:
				return nil, ends
			case open:
				kept = append(kept, a)
			}
		}
		if len(kept) == 0 {
			return nil, rests
		}
		return kept, open
	}
	switch f := f.(type) {
	case *ast.And:
		kept, t := join(f.Args, never, always)
		return and(kept, f.Pos), t
	case *ast.Or:
		kept, t := join(f.Args, always, never)
		return or(kept, f.Pos), t
	case *ast.Not:
		arg, t := simplify(f.Arg, settle)
		if t == open {
			return &ast.Not{Arg: arg, Pos: f.Pos}, open
		}
		return nil, never + always - t
	case *ast.Exists:
		body, t := simplify(f.Body, settle)
		if t != open {
			return nil, t
		}
		left := variables(body)
		vars := slices.DeleteFunc(slices.Clone(f.Vars), func(v ast.Term) bool {
			return !ast.HasName(left, v.Name)
		})
		if len(vars) == 0 {
			return body, open
		}
		return &ast.Exists{Vars: vars, Body: body, Pos: f.Pos}, open
	case *ast.Atom, *ast.Unequal, *ast.Filter:
		if t := settle(f); t != open {
			return nil, t
		}
	}
	return f, open
}
