package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
)

// bindValues converts triples with values into filters. Without a graph, these are the triples whose variables are
// compared by order.
func (b *binder) bindValues() {
	f := b.request.Query.Formula
	b.compared = map[string]bool{}
	b.values = map[string]bool{}
	b.made = map[ast.Formula]string{}
	ast.Walk(f, func(f ast.Formula) {
		if c, ok := f.(*ast.Compared); ok {
			b.compared[c.Variable.Name] = true
		}
	})
	f = b.filters(f, false)

	for _, v := range variables(f) {
		if b.values[v.Name] {
			b.fail(v.Pos, "use two variables", "?%s stands for a value, and for something else here", v.Name)
		}
	}
	for _, v := range b.request.Query.Variables() {
		if b.values[v.Name] {
			b.fail(v.Pos, "compare it by <, <=, > or >=, too", "?%s stands for values, of which those are selected that have an order", v.Name)
		}
	}
	for i := range b.request.Values {
		b.selected(&b.request.Values[i], conjuncts(f))
	}
	b.request.Query.Formula = f
}

// selected completes a selected variable for values by the filter that each solution has for it, one of the given
// formulas.
func (b *binder) selected(v *Value, whole []ast.Formula) {
	if b.Graph != nil {
		v.Several = b.HasSeveral(v.Filter.Attribute)
		return
	}
	i := slices.IndexFunc(whole, func(f ast.Formula) bool { return b.made[f] == v.Name })
	if i < 0 {
		b.fail(v.Pos, "compare it outside of UNION and EXISTS", "?%s has no value in some solutions", v.Name)
		return
	}
	v.Filter = whole[i].(*ast.Filter)
	subject := v.Filter.Subject
	v.Column = slices.IndexFunc(b.request.Query.Variables(), func(t ast.Term) bool { return isVariableOf(subject, t) })
	if v.Column < 0 {
		b.fail(v.Pos, "select the entity too", "?%s is a value of %s, which is not selected", v.Name, subject)
	}
}

func (b *binder) fail(pos ast.Pos, hint, format string, args ...any) {
	b.errs = append(b.errs, b.request.Query.Errorf(pos, hint, format, args...))
}

// comparesValues reports whether a part of a formula compares values by order.
func comparesValues(f ast.Formula) (compares bool) {
	ast.Walk(f, func(f ast.Formula) {
		_, is := f.(*ast.Compared)
		compares = compares || is
	})
	return compares
}

// filters returns a formula with filters in place of triples with values. negated says that it is below a negation.
func (b *binder) filters(f ast.Formula, negated bool) ast.Formula {
	switch f := f.(type) {
	case *ast.Exists:
		return &ast.Exists{Vars: f.Vars, Body: b.filters(f.Body, negated), Pos: f.Pos}
	case *ast.Not:
		return &ast.Not{Arg: b.filters(f.Arg, true), Pos: f.Pos}
	case *ast.Or:
		var args []ast.Formula
		for _, arg := range f.Args {
			args = append(args, b.filters(arg, negated))
		}
		return &ast.Or{Args: args, Pos: f.Pos}
	case *ast.And, *ast.Atom:
		return b.conjunction(conjuncts(f), f.Position(), negated)
	case *ast.Compared:
		v := f.Variable
		b.fail(v.Pos, "put the FILTER into the group of the triple that has it", "?%s has no value in this group", v.Name)
	}
	return f
}

// conjuncts returns the operands of a conjunction, or the formula itself.
func conjuncts(f ast.Formula) (list []ast.Formula) {
	and, ok := f.(*ast.And)
	if !ok {
		return []ast.Formula{f}
	}
	for _, arg := range and.Args {
		list = append(list, conjuncts(arg)...)
	}
	return list
}

// conjunction makes a filter of each triple with a value and the comparisons of that value.
func (b *binder) conjunction(list []ast.Formula, pos ast.Pos, negated bool) ast.Formula {
	var triples []*ast.Atom
	rest := slices.DeleteFunc(list, func(f ast.Formula) bool {
		a, ok := f.(*ast.Atom)
		if ok && b.hasValue(a) {
			triples = append(triples, a)
			return true
		}
		return false
	})
	filters := make([]*ast.Filter, len(triples))
	for i, a := range triples {
		filters[i], rest = b.filter(a, rest)
	}

	for i, a := range triples {
		_, value := ends(a)
		others := append(slices.Clone(rest), atoms(triples[:i])...)
		switch {
		case negated:
			b.fail(value.Pos, "find what has other values, as in ?y :pop ?p FILTER(?p <= 2)",
				"NOT EXISTS and MINUS of a value hold of entities without one, too, which no filter here finds")
		case value.Kind == ast.Variable && slices.ContainsFunc(others, func(f ast.Formula) bool { return ast.HasName(variables(f), value.Name) }):
			b.fail(value.Pos, "compare it by FILTERs that && joins in its group; write UNION in place of ||",
				"?%s stands for a value of %s, which is compared with numbers or dates only, one after the other", value.Name, a.Relation.Name)
		case len(filters[i].Comparisons) == 0:
			b.fail(value.Pos, valueHint, "%s has values, which are numbers or dates: this triple compares none", a.Relation.Name)
		}
	}
	var kept []ast.Formula
	for _, f := range rest {
		if _, atom := f.(*ast.Atom); !atom {
			f = b.filters(f, negated)
		}
		kept = append(kept, f)
	}
	for _, f := range filters {
		kept = append(kept, f)
	}
	return and(kept, pos)
}

// hasValue reports whether a triple has a value: its variable is compared by order, or its predicate is an attribute but
// no relation.
func (b *binder) hasValue(a *ast.Atom) bool {
	subject, value := ends(a)
	if a.Relation.Param || subject.Kind == ast.Variable && b.compared[subject.Name] {
		return false
	}
	if value.Kind == ast.Variable && b.compared[value.Name] {
		return true
	}
	if b.Graph == nil || !b.HasAttribute(a.Relation.Name) {
		return false
	}
	related, err := b.HasRelation(a.Relation.Name)
	return !related && err == nil
}

// ends returns the subject and the object of a triple.
func ends(a *ast.Atom) (subject, object ast.Term) {
	if a.Relation.Inverse {
		return a.Tail, a.Head
	}
	return a.Head, a.Tail
}

// filter returns the filter on a triple's subject, and the list without the comparisons that it absorbs.
func (b *binder) filter(a *ast.Atom, list []ast.Formula) (f *ast.Filter, rest []ast.Formula) {
	subject, value := ends(a)
	f = &ast.Filter{Condition: ast.Condition{Attribute: a.Relation.Name}, Subject: subject, Pos: a.Relation.Pos}
	if by, ok := comparison("=", value); ok {
		f.Comparisons = []ast.Comparison{by}
	}
	rest = slices.DeleteFunc(list, func(other ast.Formula) bool {
		by, ok := comparisonOf(other, value)
		if ok {
			f.Comparisons = append(f.Comparisons, by)
		}
		return ok
	})
	b.changed = true
	b.request.Bound += "v"
	if value.Kind == ast.Variable {
		b.values[value.Name] = true
		b.made[f] = value.Name
	}
	return f, rest
}

// repeats refuses a filter that several values of an entity may meet, in a SELECT that would repeat the entity.
func (b *binder) repeats(f *ast.Filter) {
	selected := slices.ContainsFunc(b.request.Values, func(v Value) bool { return v.Filter == f })
	if b.Graph == nil || b.request.Distinct || selected {
		return
	}
	one := slices.ContainsFunc(f.Comparisons, func(c ast.Comparison) bool { return c.Operator == "=" && !c.Quoted })
	if !one && b.HasSeveral(f.Attribute) {
		b.fail(f.Pos, "write SELECT DISTINCT", "an entity may have several values of %s, for each of which it would repeat", f.Attribute)
	}
}

// comparisonOf converts a formula that compares a value by order, = or != into a comparison; ok is false for others.
func comparisonOf(f ast.Formula, value ast.Term) (by ast.Comparison, ok bool) {
	op := "!="
	if not, negated := f.(*ast.Not); negated {
		f = not.Arg
		op = "="
	}
	switch f := f.(type) {
	case *ast.Compared:
		return f.Comparison, op == "!=" && isVariableOf(f.Variable, value)
	case *ast.Unequal:
		switch {
		case isVariableOf(f.Left, value):
			return comparison(op, f.Right)
		case isVariableOf(f.Right, value):
			return comparison(op, f.Left)
		}
	}
	return by, false
}

// isVariableOf reports whether two terms are the same variable.
func isVariableOf(t, value ast.Term) bool {
	return t.Kind == ast.Variable && value.Kind == ast.Variable && t.Name == value.Name
}

// atoms returns triples as formulas.
func atoms(list []*ast.Atom) (out []ast.Formula) {
	for _, a := range list {
		out = append(out, a)
	}
	return out
}
