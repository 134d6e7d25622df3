package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang"
)

// and joins parts that all must hold.
func and(parts []lang.Formula, pos lang.Pos) lang.Formula {
	return joined(parts, func(args []lang.Formula) lang.Formula { return &lang.And{Args: args, Pos: pos} })
}

// or returns a disjunction of parts.
func or(parts []lang.Formula, pos lang.Pos) lang.Formula {
	return joined(parts, func(args []lang.Formula) lang.Formula { return &lang.Or{Args: args, Pos: pos} })
}

// joined joins several parts; nil parts are wrong and left out.
func joined(parts []lang.Formula, join func([]lang.Formula) lang.Formula) lang.Formula {
	parts = slices.DeleteFunc(parts, func(f lang.Formula) bool { return f == nil })
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return join(parts)
}

// variables returns the variables of a formula, each at its first place.
func variables(f lang.Formula) (list []lang.Term) {
	lang.Walk(f, func(f lang.Formula) {
		for _, t := range lang.Terms(f) {
			if t.Kind == lang.Variable && !slices.ContainsFunc(list, func(o lang.Term) bool { return o.Name == t.Name }) {
				list = append(list, *t)
			}
		}
	})
	return list
}

// constants reports whether a formula has an entity.
func constants(f lang.Formula) (found bool) {
	if f == nil {
		return false
	}
	lang.Walk(f, func(f lang.Formula) {
		for _, t := range lang.Terms(f) {
			found = found || t.Kind == lang.Constant
		}
	})
	return found
}

// truth says whether a formula holds regardless of its variables.
type truth int

const (
	open truth = iota // it depends on them
	never
	always
)

// simplify leaves out the triples and inequalities that settle knows to hold of nothing, or of
// everything.
func simplify(f lang.Formula, settle func(lang.Formula) truth) (lang.Formula, truth) {
	join := func(args []lang.Formula, ends, rests truth) ([]lang.Formula, truth) {
		var kept []lang.Formula
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
	case *lang.And:
		kept, t := join(f.Args, never, always)
		return and(kept, f.Pos), t
	case *lang.Or:
		kept, t := join(f.Args, always, never)
		return or(kept, f.Pos), t
	case *lang.Not:
		arg, t := simplify(f.Arg, settle)
		if t == open {
			return &lang.Not{Arg: arg, Pos: f.Pos}, open
		}
		return nil, never + always - t
	case *lang.Exists:
		body, t := simplify(f.Body, settle)
		if t != open {
			return nil, t
		}
		left := variables(body)
		vars := slices.DeleteFunc(slices.Clone(f.Vars), func(v lang.Term) bool {
			return !slices.ContainsFunc(left, func(l lang.Term) bool { return l.Name == v.Name })
		})
		if len(vars) == 0 {
			return body, open
		}
		return &lang.Exists{Vars: vars, Body: body, Pos: f.Pos}, open
	case *lang.Atom, *lang.Unequal:
		if t := settle(f); t != open {
			return nil, t
		}
	}
	return f, open
}
