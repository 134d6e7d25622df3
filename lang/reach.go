package lang

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/nearest"
)

// reach checks that each variable of a disjunct is restricted: by an entity that anchors it, or by a positive
// literal of its component. It records a mistake for each missing free variable, and for variables that only
// negated literals or only inequalities restrict. It records a warning for variables that are not connected to
// a free one, because they rule out all entities or none. It reports whether the disjunct is sound; which names
// the disjunct in messages.
func reach(r, warnings *reporter, disjunct ast.Disjunct, free []ast.Term, which string) (sound bool) {
	literals, alone, differ := links(disjunct)
	before := len(r.errs)
	var found []ast.Term
	for _, part := range components(slices.Concat(literals, alone)) {
		found = append(found, part.vars...)
		if part.anchored || part.positive {
			continue
		}
		are := "is"
		it := "it"
		what := "negated atoms"
		if len(part.vars) > 1 {
			are = "are"
			it = "one of them"
		}
		if !part.literal {
			what = "inequalities or filters"
		}
		r.add(part.vars[0].Pos, fmt.Sprintf("say what %s is by an atom without negation, even if the head has a type; or tie it to an entity in quotes", it),
			"%s %s restricted only by %s%s", nearest.List(ast.Names(part.vars), "and"), are, what, which)
	}
	sound = len(r.errs) == before
	for _, part := range components(slices.Concat(literals, differ)) {
		if sound && !slices.ContainsFunc(free, func(t ast.Term) bool { return ast.HasName(part.vars, t.Name) }) {
			warnings.add(part.vars[0].Pos, "", "no atom links %s to %s: what the query says of %[1]s rules out all entities or none%[3]s",
				nearest.List(ast.Names(part.vars), "and"), nearest.List(ast.Names(free), "or"), which)
		}
	}
	for _, t := range free {
		if !ast.HasName(found, t.Name) {
			r.absent(disjunct.Literals[0].Pos, t.Name, which)
		}
	}
	return len(r.errs) == before
}

// component is a set of connected variables, starting from those of a single literal.
type component struct {
	// vars are the variables, each at its first position, in order of appearance.
	vars []ast.Term
	// anchored says that a chain of literals, of either sign, connects them to an entity; positive, that one of
	// their literals is not negated; literal, that they have a literal.
	anchored, positive, literal bool
}

// links returns the components of single literals of a disjunct: literals for its links, alone for each variable of an
// inequality or filter, and differ for its inequalities and filters.
func links(disjunct ast.Disjunct) (literals, alone, differ []component) {
	for _, l := range disjunct.Literals {
		vars := variablesOf(l)
		if l.Kind == ast.LinkAtom {
			literals = append(literals, component{vars: vars, anchored: len(vars) < 2, positive: !l.Negated, literal: true})
			continue
		}
		differ = append(differ, component{vars: vars})
		for _, v := range vars {
			alone = append(alone, component{vars: []ast.Term{v}})
		}
	}
	return literals, alone, differ
}

// components merges components that share variables. A shared entity does not connect.
func components(links []component) []component {
	var parts []component
	for _, link := range links {
		joined := component{anchored: link.anchored, positive: link.positive, literal: link.literal}
		parts = slices.DeleteFunc(parts, func(p component) bool {
			touched := slices.ContainsFunc(link.vars, func(t ast.Term) bool { return ast.HasName(p.vars, t.Name) })
			if touched {
				joined.vars = append(joined.vars, p.vars...)
				joined.anchored = joined.anchored || p.anchored
				joined.positive = joined.positive || p.positive
				joined.literal = joined.literal || p.literal
			}
			return touched
		})
		for _, t := range link.vars {
			if !ast.HasName(joined.vars, t.Name) {
				joined.vars = append(joined.vars, t)
			}
		}
		parts = append(parts, joined)
	}
	return parts
}
