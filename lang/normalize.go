package lang

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
)

// Normalize checks the query and sets Normal and Warnings. It pushes negations to the atoms, pulls quantifiers
// to the front with distinct variables (x, x_2, x_3, …), and distributes conjunctions over disjunctions. It
// merges equal literals of a disjunct, where r^-1(a, b) equals r(b, a), and gives each a canonical direction:
// see Literal. It drops, with a warning, a disjunct that contains an atom and its negation, or an inequality of
// a term with itself. A negated inequality identifies its two terms, so one of them must be existential.
// Disjuncts and literals are in source order. A yes-or-no query gets Parts instead of Normal. The error is an
// ErrorList.
func (q *Query) Normalize() error {
	tree, c := check(q, false)
	r := &c.reporter
	sites := c.sites
	if size := tree.size(); size > limits.Disjuncts && len(r.errs) == 0 {
		r.add(q.Pos, "split the query", "the disjunctive normal form has %d disjuncts, over the limit of %d", size, limits.Disjuncts)
	}
	if len(r.errs) > 0 {
		return r.err()
	}
	disjuncts := tree.expand()
	dnf := &ast.DNF{Free: q.Free}
	parts := &sentence{whole: q}
	free := q.Variables()
	warnings := reporter{src: q.Source}
	for i, literals := range disjuncts {
		which := ""
		if len(disjuncts) > 1 {
			which = fmt.Sprintf(" in disjunct %d of %d: %s", i+1, len(disjuncts), token.Clip(ast.Joined(literals, " & "), 2*token.MaxClip))
		}
		literals, ok := substitute(r, literals, free, which, &sites)
		if !ok {
			continue
		}
		disjunct, contradiction := merge(literals)
		switch {
		case contradiction == nil && q.Free == "":
			parts.add(r, &warnings, disjunct)
		case contradiction == nil:
			if reach(r, &warnings, disjunct, free, which) {
				orient(disjunct, q.Free)
				dnf.Disjuncts = append(dnf.Disjuncts, disjunct)
			}
		case len(disjuncts) == 1:
			r.add(contradiction.Pos, "", "the query can never hold: it asks for %s", contradiction.Msg)
		default:
			warnings.add(contradiction.Pos, "", "disjunct %d of %d can never hold and is left out: it asks for %s",
				i+1, len(disjuncts), contradiction.Msg)
		}
	}
	if len(dnf.Disjuncts)+len(parts.disjuncts) == 0 && len(r.errs) == 0 {
		r.add(q.Formula.Position(), "", "the query can never hold: each of its %d disjuncts asks for an atom and its negation", len(disjuncts))
	}
	if len(r.errs) > 0 {
		return r.err()
	}
	if q.Free == "" {
		q.sentence = parts
	} else {
		q.Normal = dnf
	}
	q.Warnings = warnings.warnings()
	return nil
}

// nnf is a formula in negation normal form without quantifiers: a literal, or
// a conjunction or disjunction.
type nnf struct {
	leaf ast.Literal
	or   bool
	args []nnf
}

// size returns the number of disjuncts that expand returns. A formula of limits.Atoms atoms has at most
// 3^(limits.Atoms/3), which fits into an int64.
func (t nnf) size() int64 {
	size := int64(1)
	if t.or {
		size = 0
	}
	for _, a := range t.args {
		if t.or {
			size += a.size()
		} else {
			size *= a.size()
		}
	}
	return size
}

// expand distributes conjunctions over disjunctions. The caller has checked the size.
func (t nnf) expand() [][]ast.Literal {
	if t.args == nil {
		return [][]ast.Literal{{t.leaf}}
	}
	if t.or {
		var all [][]ast.Literal
		for _, a := range t.args {
			all = append(all, a.expand()...)
		}
		return all
	}
	product := [][]ast.Literal{nil}
	for _, a := range t.args {
		var next [][]ast.Literal
		for _, left := range product {
			for _, right := range a.expand() {
				next = append(next, slices.Concat(left, right))
			}
		}
		product = next
	}
	return product
}

// substitute removes the negated inequalities from a disjunct: of two equal terms, it replaces an existential
// variable by the other term. It reports whether that succeeded; which names the disjunct in messages. A
// changed literal gets a new site, counted by sites, because its copies in other disjuncts have other terms.
func substitute(r *reporter, literals []ast.Literal, free []ast.Term, which string, sites *int) ([]ast.Literal, bool) {
	before := len(r.errs)
	existential := func(t ast.Term) bool { return t.Kind == ast.Variable && !ast.HasName(free, t.Name) }
	out := slices.Clone(literals)
	for _, written := range literals {
		// An earlier substitution may have changed its terms.
		equal := out[0]
		out = out[1:]
		if equal.Kind != ast.SameAtom || equal.Negated {
			out = append(out, equal)
			continue
		}
		from := equal.Head
		to := equal.Tail
		if !existential(from) {
			from, to = to, from
		}
		switch {
		case sameTerm(from, to):
		case existential(from):
			for k := range out {
				changed := false
				for _, t := range out[k].Terms() {
					if sameTerm(*t, from) {
						t.Kind = to.Kind
						t.Name = to.Name
						changed = true
					}
				}
				if changed {
					out[k].Site = *sites
					*sites++
				}
			}
		case from.Kind == ast.Variable || to.Kind == ast.Variable:
			r.add(written.Pos, "leave the variable out, and ask about the entity itself",
				"the query asks for %s, which gives its answer away%s", equal, which)
		default:
			out = append(out, equal) // to be refused below
		}
	}
	r.refuseGround(out, free, which)
	if len(out) == 0 && len(r.errs) == before {
		if len(free) == 0 {
			r.add(literals[0].Pos, "ask something that may fail to hold", "the sentence always holds%s", which)
		} else {
			r.absent(literals[0].Pos, free[0].Name, which)
		}
	}
	return out, len(r.errs) == before
}

// refuseGround reports literals that substitution left without a variable.
func (r *reporter) refuseGround(literals []ast.Literal, free []ast.Term, which string) {
	for _, l := range literals {
		switch {
		case len(variablesOf(l)) > 0 || l.Kind == ast.SameAtom && sameTerm(l.Head, l.Tail):
		case l.Kind == ast.FilterAtom:
			r.add(l.Pos, filterHint, "%s, where equal terms are one, has no variable%s", l, which)
		case len(free) > 0:
			r.add(l.Pos, noVariableHint, "%s, where equal terms are one, has no variable%s", l, which)
		case l.Kind == ast.SameAtom:
			r.add(l.Pos, groundHint, "%s, where equal terms are one, compares two entities%s", l, which)
		}
	}
}

// absent records that a disjunct does not mention a free variable.
func (r *reporter) absent(pos ast.Pos, free, which string) {
	r.add(pos, "each disjunct must say something about "+free, "the free variable %s does not occur%s", free, which)
}

// merge drops literals equal to an earlier one. If the conjunction is contradictory, it returns the reason and
// its position.
func merge(literals []ast.Literal) (disjunct ast.Disjunct, contradiction *Error) {
	first := map[string]ast.Literal{} // by its atom
	for _, l := range literals {
		if l.Kind == ast.SameAtom && sameTerm(l.Head, l.Tail) {
			return ast.Disjunct{}, &Error{Pos: l.Pos, Msg: l.String()}
		}
		atom := atomOf(l)
		o, merged := first[atom]
		switch {
		case !merged:
			first[atom] = l
			disjunct.Literals = append(disjunct.Literals, l)
		case o.Negated != l.Negated || o.Condition.Negated != l.Condition.Negated:
			return ast.Disjunct{}, &Error{Pos: l.Pos, Msg: fmt.Sprintf("both %s and %s", o, l)}
		}
	}
	return disjunct, nil
}

// sameTerm reports whether two terms are equal, ignoring positions.
func sameTerm(a, b ast.Term) bool { return a.Kind == b.Kind && a.Name == b.Name }

// atomOf prints the literal's atom without sign and ^-1: equal atoms mean the same. The terms of an inequality are
// sorted.
func atomOf(l ast.Literal) string {
	l = l.Forward()
	l.Negated = false
	l.Condition.Negated = false
	if l.Kind == ast.SameAtom && l.Head.String() > l.Tail.String() {
		l.Head, l.Tail = l.Tail, l.Head
	}
	return l.String()
}
