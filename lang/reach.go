package lang

import (
	"fmt"
	"slices"
)

// reach checks that the variables of an SCQ are anchored: connected to an entity
// through literals of either sign. It records a mistake for a missing free variable
// and for unanchored variables, and a warning for variables that neither literals nor
// inequalities connect to the free one. It reports whether the SCQ is sound; which names
// the disjunct in messages.
func reach(r, warnings *reporter, scq SCQ, free, which string) (sound bool) {
	var links, differ, alone [][]Term
	var first Pos
	for _, u := range scq.Unequal {
		first = u.Pos
		differ = append(differ, []Term{u.Left, u.Right})
		for _, t := range []Term{u.Left, u.Right} {
			if t.Kind == Variable {
				alone = append(alone, []Term{t})
			}
		}
	}
	for _, l := range scq.Literals {
		links = append(links, []Term{l.Head, l.Tail})
	}
	if len(scq.Literals) > 0 {
		first = scq.Literals[0].Pos
	}
	before, hasFree := len(r.errs), false
	for _, part := range components(slices.Concat(links, alone)) {
		hasFree = hasFree || hasName(part.vars, free)
		if !part.anchored {
			are, it := "is", "it"
			if len(part.vars) > 1 {
				are, it = "are", "one of them"
			}
			r.add(part.vars[0].Pos, fmt.Sprintf("tie %s by an atom to an entity in quotes or to an entity parameter", it),
				"%s %s not anchored to an entity%s", enumerate(names(part.vars), "and"), are, which)
		}
	}
	for _, part := range components(slices.Concat(links, differ)) {
		if !hasName(part.vars, free) {
			warnings.add(part.vars[0].Pos, "", "%s cannot influence the answers: no atom links it to %s%s",
				enumerate(names(part.vars), "and"), free, which)
		}
	}
	if !hasFree {
		r.add(first, "each disjunct must say something about "+free,
			"the free variable %s does not occur%s", free, which)
	}
	return len(r.errs) == before
}

// component is a set of variables that literals connect.
type component struct {
	// vars are the variables, each at its first place, in order of appearance.
	vars []Term
	// anchored says that a literal connects one of them to an entity.
	anchored bool
}

// components returns the connected components of the variables that links connect.
// Entities connect nothing: each link has its own.
func components(links [][]Term) []component {
	var parts []component
	for _, link := range links {
		// Join the link's variables with the components that hold one of them.
		vars := slices.DeleteFunc(slices.Clone(link), func(t Term) bool { return t.Kind != Variable })
		joined := component{anchored: len(vars) < len(link)}
		parts = slices.DeleteFunc(parts, func(p component) bool {
			touched := slices.ContainsFunc(vars, func(t Term) bool { return hasName(p.vars, t.Name) })
			if touched {
				joined.vars = append(joined.vars, p.vars...)
				joined.anchored = joined.anchored || p.anchored
			}
			return touched
		})
		for _, t := range vars {
			if !hasName(joined.vars, t.Name) {
				joined.vars = append(joined.vars, t)
			}
		}
		parts = append(parts, joined)
	}
	return parts
}

// hasName reports whether one of the terms has a name.
func hasName(terms []Term, name string) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Name == name })
}

// names returns the names of terms.
func names(terms []Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Name
	}
	return out
}
