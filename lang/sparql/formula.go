package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang"
)

// and joins parts that all must hold; nil parts are wrong and left out.
func and(parts []lang.Formula, pos lang.Pos) lang.Formula {
	parts = slices.DeleteFunc(parts, func(f lang.Formula) bool { return f == nil })
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &lang.And{Args: parts, Pos: pos}
}

// or joins parts of which one must hold.
func or(parts []lang.Formula, pos lang.Pos) lang.Formula {
	parts = slices.DeleteFunc(parts, func(f lang.Formula) bool { return f == nil })
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &lang.Or{Args: parts, Pos: pos}
}

// terms returns the arguments of an atom or inequality.
func terms(f lang.Formula) []*lang.Term {
	switch f := f.(type) {
	case *lang.Atom:
		return []*lang.Term{&f.Head, &f.Tail}
	case *lang.Unequal:
		return []*lang.Term{&f.Left, &f.Right}
	}
	return nil
}

// parts returns what a formula joins.
func parts(f lang.Formula) []lang.Formula {
	switch f := f.(type) {
	case *lang.And:
		return f.Args
	case *lang.Or:
		return f.Args
	case *lang.Not:
		return []lang.Formula{f.Arg}
	}
	return nil
}

// each visits a formula and all of its parts.
func each(f lang.Formula, visit func(lang.Formula)) {
	visit(f)
	if e, ok := f.(*lang.Exists); ok {
		each(e.Body, visit)
	}
	for _, part := range parts(f) {
		each(part, visit)
	}
}

// variables adds those of a formula to a list, each at its first place.
func variables(f lang.Formula, list []lang.Term) []lang.Term {
	for _, t := range terms(f) {
		if t.Kind == lang.Variable && !slices.ContainsFunc(list, func(o lang.Term) bool { return o.Name == t.Name }) {
			list = append(list, *t)
		}
	}
	for _, part := range parts(f) {
		list = variables(part, list)
	}
	return list
}

// constant returns the last entity of the first triple that has one.
func constant(f lang.Formula) (found lang.Term, ok bool) {
	if f == nil {
		return found, false
	}
	for _, t := range terms(f) {
		if t.Kind == lang.Constant {
			found, ok = *t, true
		}
	}
	for _, part := range parts(f) {
		if !ok {
			found, ok = constant(part)
		}
	}
	return found, ok
}

// replace puts a variable in the place of an entity, wherever it stands.
func replace(f lang.Formula, entity, by lang.Term) lang.Formula {
	for _, t := range terms(f) {
		if t.Kind == lang.Constant && t.Name == entity.Name {
			t.Kind, t.Name = by.Kind, by.Name
		}
	}
	for _, part := range parts(f) {
		replace(part, entity, by)
	}
	return f
}
