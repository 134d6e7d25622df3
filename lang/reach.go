package lang

import (
	"fmt"
	"slices"
)

// reach checks that something says what the variables of an SCQ are: an entity that
// literals of either sign connect them with, or else a positive literal. It records a
// mistake for a missing free variable and for variables that only negated literals
// connect with each other, and a warning for variables that are not connected to the free
// one. It reports whether the SCQ is sound; which names the disjunct in
// messages.
func reach(r, warnings *reporter, scq SCQ, free, which string) (sound bool) {
	before, hasFree := len(r.errs), false
	for _, part := range components(scq) {
		first, home := part.vars[0].Pos, hasName(part.vars, free)
		hasFree = hasFree || home
		switch {
		case !part.anchored && !part.positive:
			are, it := "is", "it"
			if len(part.vars) > 1 {
				are, it = "are", "one of them"
			}
			r.add(first, fmt.Sprintf("say what %s is by an atom without negation, or tie it to an entity in quotes", it),
				"%s %s restricted by negated atoms alone%s", enumerate(names(part.vars), "and"), are, which)
		case !home:
			warnings.add(first, "", "%s cannot influence the answers: no atom links it to %s%s",
				enumerate(names(part.vars), "and"), free, which)
		}
	}
	if !hasFree {
		r.add(scq.Literals[0].Pos, "each disjunct must say something about "+free,
			"the free variable %s does not occur%s", free, which)
	}
	return len(r.errs) == before
}

// component is a set of variables that literals connect.
type component struct {
	// vars are the variables, each at its first place, in order of appearance.
	vars []Term
	// anchored says that a literal connects one of them to an entity, positive that a
	// literal of theirs is not negated.
	anchored, positive bool
}

// components returns the connected components of an SCQ's variables. Entities connect
// nothing: each atom has its own.
func components(scq SCQ) []component {
	var parts []component
	for _, l := range scq.Literals {
		// Join the literal's variables with the components that hold one of them.
		joined := component{anchored: l.Head.Kind != Variable || l.Tail.Kind != Variable, positive: !l.Negated}
		parts = slices.DeleteFunc(parts, func(p component) bool {
			touched := l.Head.Kind == Variable && hasName(p.vars, l.Head.Name) ||
				l.Tail.Kind == Variable && hasName(p.vars, l.Tail.Name)
			if touched {
				joined.vars = append(joined.vars, p.vars...)
				joined.anchored = joined.anchored || p.anchored
				joined.positive = joined.positive || p.positive
			}
			return touched
		})
		for _, t := range []Term{l.Head, l.Tail} {
			if t.Kind == Variable && !hasName(joined.vars, t.Name) {
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
