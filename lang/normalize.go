package lang

import (
	"fmt"
	"slices"
)

// Normalize checks a query and returns its disjunctive normal form: negations
// are pushed to the atoms, quantifiers are pulled to the front with their
// variables made distinct (x, x_2, x_3, …), and conjunctions are distributed
// over disjunctions. Equal literals of an SCQ are merged, where r^-1(a, b) equals
// r(b, a), and each is brought into one direction: see Literal. An SCQ that holds an atom and its negation is left out with a warning. Disjuncts and literals are in
// source order. The error is an ErrorList.
func Normalize(q *Query) (*DNF, []Warning, error) {
	tree, errs := check(q, false)
	r := &reporter{src: q.src, errs: errs}
	if size := tree.size(); size > MaxDisjuncts && len(errs) == 0 {
		r.add(q.Pos, "split the query", "the disjunctive normal form has %d disjuncts, over the limit of %d", size, MaxDisjuncts)
	}
	if len(r.errs) > 0 {
		return nil, nil, r.err()
	}
	disjuncts := tree.expand()
	dnf := &DNF{Free: q.Free}
	warnings := reporter{src: q.src}
	for i, literals := range disjuncts {
		scq, ok := merge(literals)
		switch {
		case ok:
			which := ""
			if len(disjuncts) > 1 {
				which = fmt.Sprintf(" in disjunct %d of %d: %s", i+1, len(disjuncts), clip(SCQ{literals}.String(), 2*maxClip))
			}
			if reach(r, &warnings, scq, q.Free, which) {
				orient(scq, q.Free)
				dnf.SCQs = append(dnf.SCQs, scq)
			}
		case len(disjuncts) == 1:
			r.add(scq.Literals[1].Pos, "", "the query can never hold: it asks for both %s and %s", scq.Literals[0], scq.Literals[1])
		default:
			warnings.add(scq.Literals[1].Pos, "", "disjunct %d of %d can never hold and is left out: it asks for both %s and %s",
				i+1, len(disjuncts), scq.Literals[0], scq.Literals[1])
		}
	}
	if len(dnf.SCQs) == 0 && len(r.errs) == 0 {
		r.add(q.Formula.Position(), "", "the query can never hold: each of its %d disjuncts asks for an atom and its negation", len(disjuncts))
	}
	if len(r.errs) > 0 {
		return nil, nil, r.err()
	}
	return dnf, warnings.warnings(), nil
}

// nnf is a formula in negation normal form without quantifiers: a literal, or
// a conjunction or disjunction.
type nnf struct {
	literal Literal
	or      bool
	args    []nnf
}

// size returns how many disjuncts expand gives. No formula of MaxAtoms atoms has more
// than 3^(MaxAtoms/3), which an int64 holds.
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

// merge drops literals that are equal to an earlier one. Where one contradicts an earlier
// one, it returns those two and false.
func merge(literals []Literal) (scq SCQ, ok bool) {
	for _, l := range literals {
		i := slices.IndexFunc(scq.Literals, func(o Literal) bool { return o.atom() == l.atom() })
		if i < 0 {
			scq.Literals = append(scq.Literals, l)
		} else if o := scq.Literals[i]; o.Negated != l.Negated {
			return SCQ{[]Literal{o, l}}, false
		}
	}
	return scq, true
}

// atom returns the literal's atom alone, without places and sign and without ^-1, to be
// compared: equal atoms say the same.
func (l Literal) atom() Atom {
	l = l.Forward()
	a := Atom{Relation: l.Relation, Head: l.Head, Tail: l.Tail}
	a.Relation.Pos, a.Head.Pos, a.Tail.Pos = Pos{}, Pos{}, Pos{}
	return a
}
