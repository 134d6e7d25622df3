package sample

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/scq"
)

// ground is an atom with its values: constants and relations are ids, and
// relations are read forwards. That of an inequality is scq.Identity.
type ground struct {
	relation   int32
	head, tail groundTerm
	negated    bool
}

// groundTerm is an entity, or a variable by its index.
type groundTerm struct {
	variable bool
	id       int32
}

// grounds fills the atoms of a pattern.
func (t *Template) grounds(p *scq.Graph, args []int32) []ground {
	out := make([]ground, len(p.Atoms))
	for i, a := range p.Atoms {
		g := ground{scq.Identity, t.groundTerm(a.Head, args), t.groundTerm(a.Tail, args), a.Negated}
		if !a.Unequal() {
			g.relation = t.slots.Relations[a.Relation].Value(args)
		}
		if g.relation%2 == 1 {
			g.relation, g.head, g.tail = g.relation^1, g.tail, g.head
		}
		out[i] = g
	}
	return out
}

// groundTerm is the value of a term.
func (t *Template) groundTerm(x scq.Term, args []int32) groundTerm {
	if x.Constant {
		return groundTerm{id: t.slots.Constants[x.Index].Value(args)}
	}
	return groundTerm{variable: true, id: int32(x.Index)}
}

// trivial reports whether a query with these arguments says something twice, or
// turns back; the package documentation has the rules.
func (t *Template) trivial(args []int32) bool {
	none := slices.Repeat([]int32{unset}, len(args))
	for i := range t.patterns {
		p := &t.patterns[i]
		atoms := t.grounds(p, args)
		for j, a := range atoms {
			for k, b := range atoms[:j] {
				if a.relation == scq.Identity || b.relation == scq.Identity {
					continue
				}
				same := a.relation == b.relation && a.head == b.head && a.tail == b.tail
				if same && (t.free(p.Atoms[j], none) || t.free(p.Atoms[k], none)) {
					return true
				}
				// Relations of one parameter are the template's choice.
				apart := t.slots.Relations[p.Atoms[j].Relation].Param != t.slots.Relations[p.Atoms[k].Relation].Param
				if !a.negated && !b.negated && apart && turnsBack(a, b, atoms) {
					return true
				}
			}
		}
	}
	return len(slices.Compact(t.keys(args))) < len(t.patterns)
}

// repeats reports whether a disjunct has an atom twice, or the query a disjunct.
func (t *Template) repeats(args []int32) bool {
	for i := range t.patterns {
		atoms := t.grounds(&t.patterns[i], args)
		for j, a := range atoms {
			if a.relation != scq.Identity && slices.Contains(atoms[:j], a) {
				return true
			}
		}
	}
	return len(slices.Compact(t.keys(args))) < len(t.patterns)
}

// argsKey distinguishes queries as the published protocols do: by their parameters, in
// whatever order the atoms are.
func argsKey(args []int32) uint64 {
	h := fnv.New64a()
	for _, a := range args {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(a)))
	}
	return h.Sum64()
}

// turnsBack reports whether two positive atoms lead by the same relation from one
// variable x to different ends, so that one end may take the value of the other: x
// is existential and an end is a variable, or an end is a leaf. It may not where an
// inequality says so.
func turnsBack(a, b ground, atoms []ground) bool {
	if a.relation != b.relation {
		return false
	}
	check := func(x, y, from, to groundTerm) bool {
		apart := func(u ground) bool {
			return u.relation == scq.Identity && (u.head == y && u.tail == to || u.head == to && u.tail == y)
		}
		if x != from || !x.variable || y == to || slices.ContainsFunc(atoms, apart) {
			return false
		}
		return x.id > 0 && (y.variable || to.variable) || isLeaf(y, atoms) || isLeaf(to, atoms)
	}
	return check(a.head, a.tail, b.head, b.tail) || check(a.tail, a.head, b.tail, b.head)
}

// isLeaf reports whether a term is an existential variable in a single atom of a relation.
func isLeaf(x groundTerm, atoms []ground) bool {
	uses := 0
	for _, a := range atoms {
		if a.relation != scq.Identity && (a.head == x || a.tail == x) {
			uses++
		}
	}
	return x.variable && x.id > 0 && uses == 1
}

// maxPermuted bounds the existential variables whose every order is tried.
const maxPermuted = 5

// key distinguishes queries that differ in more than the order of their parts, the
// names of their variables and the direction in which a relation is read.
func (t *Template) key(args []int32) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(t.keys(args), "|")))
	return h.Sum64()
}

// keys returns the keys of the disjuncts, ascending.
func (t *Template) keys(args []int32) []string {
	keys := make([]string, len(t.patterns))
	for i := range t.patterns {
		keys[i] = t.disjunctKey(&t.patterns[i], args)
	}
	slices.Sort(keys)
	return keys
}

// disjunctKey is the least text of a pattern over all orders of its existential
// variables.
func (t *Template) disjunctKey(p *scq.Graph, args []int32) string {
	atoms := t.grounds(p, args)
	order := make([]int32, len(p.Variables))
	for i := range order {
		order[i] = int32(i)
	}
	best := atomsText(atoms, order)
	if len(order) > maxPermuted+1 {
		return best
	}
	var permute func(from int)
	permute = func(from int) {
		if from >= len(order) {
			best = min(best, atomsText(atoms, order))
			return
		}
		for i := from; i < len(order); i++ {
			order[from], order[i] = order[i], order[from]
			permute(from + 1)
			order[from], order[i] = order[i], order[from]
		}
	}
	permute(1)
	return best
}

// atomsText prints the atoms in order, variable i as order[i].
func atomsText(atoms []ground, order []int32) string {
	term := func(x groundTerm) string {
		if x.variable {
			return fmt.Sprint("v", order[x.id])
		}
		return fmt.Sprint(x.id)
	}
	texts := make([]string, len(atoms))
	for i, a := range atoms {
		head, tail := term(a.head), term(a.tail)
		if a.relation == scq.Identity {
			head, tail = min(head, tail), max(head, tail)
		}
		texts[i] = fmt.Sprint(a.negated, a.relation, "(", head, ",", tail, ")")
	}
	slices.Sort(texts)
	return strings.Join(texts, "&")
}
