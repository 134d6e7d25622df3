package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Normalize checks a query and returns its disjunctive normal form: negations
// are pushed to the atoms, quantifiers are pulled to the front with their
// variables made distinct (x, x_2, x_3, …), and conjunctions are distributed
// over disjunctions. Equal literals of an SCQ are merged. An SCQ that holds an atom
// and its negation is left out with a warning. Disjuncts and literals are in
// source order. The error is an ErrorList.
func Normalize(q *Query) (*DNF, []Warning, error) {
	r := &reporter{src: q.src}
	if r.errs = checkNames(q, false); len(r.errs) > 0 {
		return nil, nil, r.err()
	}
	n := &normalizer{q: q, taken: map[string]bool{q.Free: true}}
	walk(q.Formula, func(f Formula) {
		if e, ok := f.(*Exists); ok {
			for _, v := range e.Vars {
				n.reserved = append(n.reserved, v.Name)
			}
		}
	})
	tree := n.push(q.Formula, false, nil)
	if size := tree.size(); size > MaxDisjuncts {
		r.add(q.Pos, "split the query", "the disjunctive normal form has %d disjuncts, over the limit of %d", size, MaxDisjuncts)
		return nil, nil, r.err()
	}
	disjuncts := tree.expand()
	dnf := &DNF{Free: q.Free}
	var warnings []Warning
	// warn records a warning with its source line.
	warn := func(pos Pos, hint, format string, args ...any) {
		warnings = append(warnings, Warning{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint, Line: q.src.line(pos)})
	}
	for i, literals := range disjuncts {
		which := ""
		if len(disjuncts) > 1 {
			which = fmt.Sprintf(" in disjunct %d of %d: %s", i+1, len(disjuncts), clip(SCQ{literals}.String(), 2*maxClip))
		}
		scq := SCQ{Literals: mergeLiterals(literals)}
		if pos, neg := contradiction(scq); pos >= 0 {
			later := scq.Literals[max(pos, neg)]
			if len(disjuncts) == 1 {
				r.add(later.Pos, "", "the query can never hold: it asks for both %s and %s", scq.Literals[pos], scq.Literals[neg])
			} else {
				warn(later.Pos, "", "disjunct %d of %d can never hold and is left out: it asks for both %s and %s",
					i+1, len(disjuncts), scq.Literals[pos], scq.Literals[neg])
			}
			continue
		}
		if n.reach(r, warn, scq, which) {
			dnf.SCQs = append(dnf.SCQs, scq)
		}
	}
	if err := r.err(); err != nil {
		return nil, nil, err
	}
	if len(dnf.SCQs) == 0 {
		r.add(q.Formula.Position(), "", "the query can never hold: each of its %d disjuncts asks for an atom and its negation", len(disjuncts))
		return nil, nil, r.err()
	}
	return dnf, slices.Compact(warnings), nil
}

// normalizer holds what renaming and numbering need.
type normalizer struct {
	q *Query
	// reserved are the names of all quantified variables; a generated name is
	// none of them. taken are the names already in use.
	reserved []string
	taken    map[string]bool
	// sites counts the atoms.
	sites int
}

// scope maps a quantified variable to its distinct name.
type scope struct {
	from, to string
	outer    *scope
}

// lookup returns the distinct name of a variable.
func (s *scope) lookup(name string) string {
	for ; s != nil; s = s.outer {
		if s.from == name {
			return s.to
		}
	}
	return name
}

// nnf is a formula in negation normal form without quantifiers: a literal, or
// a conjunction or disjunction.
type nnf struct {
	literal Literal
	or      bool
	args    []nnf
}

// push returns the negation normal form of f, negated where asked to.
func (n *normalizer) push(f Formula, negated bool, env *scope) nnf {
	switch f := f.(type) {
	case *And:
		return nnf{or: negated, args: n.pushAll(f.Args, negated, env)}
	case *Or:
		return nnf{or: !negated, args: n.pushAll(f.Args, negated, env)}
	case *Not:
		return n.push(f.Arg, !negated, env)
	case *Exists:
		for _, v := range f.Vars {
			env = &scope{from: v.Name, to: n.distinct(v.Name), outer: env}
		}
		return n.push(f.Body, negated, env)
	case *Atom:
		l := Literal{Negated: negated, Relation: f.Relation, Head: f.Head, Tail: f.Tail, Site: n.sites, Pos: f.Pos}
		for _, t := range []*Term{&l.Head, &l.Tail} {
			if t.Kind == Variable {
				t.Name = env.lookup(t.Name)
			}
		}
		n.sites++
		return nnf{literal: l}
	}
	panic(fmt.Sprintf("internal error: lang: unknown formula %T", f))
}

// pushAll returns the negation normal forms of formulas.
func (n *normalizer) pushAll(args []Formula, negated bool, env *scope) []nnf {
	out := make([]nnf, len(args))
	for i, a := range args {
		out[i] = n.push(a, negated, env)
	}
	return out
}

// distinct returns a name for a quantified variable that no other has.
func (n *normalizer) distinct(name string) string {
	unique := name
	for i := 2; n.taken[unique] || unique != name && slices.Contains(n.reserved, unique); i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[unique] = true
	return unique
}

// size returns how many disjuncts expand gives, or the largest int where there
// are more than that.
func (t nnf) size() int {
	if t.args == nil {
		return 1
	}
	size := 1
	if t.or {
		size = 0
	}
	for _, a := range t.args {
		if t.or {
			size = addSat(size, a.size())
		} else {
			size = mulSat(size, a.size())
		}
	}
	return size
}

// expand distributes conjunctions over disjunctions. The caller has checked
// the size.
func (t nnf) expand() [][]Literal {
	if t.args == nil {
		return [][]Literal{{t.literal}}
	}
	if t.or {
		var all [][]Literal
		for _, a := range t.args {
			all = append(all, a.expand()...)
		}
		return all
	}
	product := [][]Literal{nil}
	for _, a := range t.args {
		var next [][]Literal
		for _, left := range product {
			for _, right := range a.expand() {
				next = append(next, slices.Concat(left, right))
			}
		}
		product = next
	}
	return product
}

// mergeLiterals drops literals that are equal to an earlier one.
func mergeLiterals(literals []Literal) []Literal {
	var out []Literal
	for _, l := range literals {
		if !slices.ContainsFunc(out, func(o Literal) bool { return o.Negated == l.Negated && sameAtom(o, l) }) {
			out = append(out, l)
		}
	}
	return out
}

// contradiction returns the indices of an atom and of its negation in an SCQ,
// or -1 and -1.
func contradiction(scq SCQ) (positive, negative int) {
	for i, a := range scq.Literals {
		for j, b := range scq.Literals {
			if !a.Negated && b.Negated && sameAtom(a, b) {
				return i, j
			}
		}
	}
	return -1, -1
}

// sameAtom reports whether two literals have the same atom.
func sameAtom(a, b Literal) bool {
	return sameRelation(a.Relation, b.Relation) && sameTerm(a.Head, b.Head) && sameTerm(a.Tail, b.Tail)
}

// sameRelation reports whether two relations are equal up to their positions.
func sameRelation(a, b Relation) bool {
	return a.Name == b.Name && a.Param == b.Param && a.Inverse == b.Inverse
}

// sameTerm reports whether two terms are equal up to their positions.
func sameTerm(a, b Term) bool { return a.Kind == b.Kind && a.Name == b.Name }

// names joins the names of variables for a message.
func names(vars []Term) string {
	out := make([]string, len(vars))
	for i, v := range vars {
		out[i] = v.Name
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return out[0]
}
