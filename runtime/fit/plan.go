package fit

import (
	"github.com/efoc/efoc/runtime"
)

// plan says how the degrees of one pattern are computed, step by step. It is made
// of the pattern alone.
type plan struct {
	pattern *runtime.Pattern
	steps   []step
	// fromTail says of each atom that it is read from its tail.
	fromTail []bool
	// informed says of each variable that, when it was done with, constants had told
	// something of it.
	informed []bool
}

// kind tells steps apart.
type kind int

const (
	fact      kind = iota // an atom of constants scales the whole
	constant              // the row of a constant is multiplied into v
	loop                  // r(v,v) is multiplied into v
	push                  // u is pushed into v by its rows
	leaf                  // u, of which nothing is known, is pushed into v without
	vanish                // u, which has no neighbour, leaves its largest degree
	propose               // u says which values of v are worth to be enumerated
	enumerate             // each value of u becomes a branch
)

// step is a step of a plan. u is the variable that it is done with, v the one that
// it changes.
type step struct {
	kind  kind
	u, v  int
	links []link
	// into says, for enumerate, which neighbour each link leads to.
	into []int
}

// link is an atom as it is read: from an end that is known to the other.
type link struct {
	atom     int
	relation int // slot
	inverse  bool
	negated  bool
	from     int // the constant slot that it is read from, for fact and constant
	to       int // the constant slot that it leads to, for fact
}

// directed returns the relation that a link reads.
func (l *link) directed(b *runtime.Bindings) runtime.RelationID {
	r := b.Relations[l.relation]
	if l.inverse {
		r = r.Inverse()
	}
	return r
}

// newPlan makes the plan of a pattern.
func newPlan(p *runtime.Pattern) *plan {
	b := &planner{
		plan: &plan{pattern: p, fromTail: make([]bool, len(p.Atoms)), informed: make([]bool, len(p.Variables))},
		done: make([]bool, len(p.Variables)), anchored: make([]bool, len(p.Variables)),
	}
	b.constants()
	for b.leafOrCycle() {
	}
	b.loops(0)
	return b.plan
}

// planner makes a plan.
type planner struct {
	*plan
	done     []bool
	anchored []bool // has an atom with a constant
}

func (b *planner) add(s step) {
	for _, l := range s.links {
		if s.kind != propose {
			b.fromTail[l.atom] = l.inverse
		}
	}
	b.steps = append(b.steps, s)
}

// constants adds the steps for the atoms that have constants.
func (b *planner) constants() {
	for i, a := range b.pattern.Atoms {
		l := link{atom: i, relation: a.Relation, negated: a.Negated}
		switch {
		case a.Head.Constant && a.Tail.Constant:
			l.from, l.to = a.Head.Index, a.Tail.Index
			b.add(step{kind: fact, links: []link{l}})
			continue
		case a.Head.Constant:
			l.from = a.Head.Index
		case a.Tail.Constant:
			l.from, l.inverse = a.Tail.Index, true
			a.Tail = a.Head
		default:
			continue
		}
		v := a.Tail.Index
		b.add(step{kind: constant, v: v, links: []link{l}})
		b.anchored[v] = true
		if !a.Negated {
			b.informed[v] = true
		}
	}
}

// loops adds the steps for the atoms r(v,v).
func (b *planner) loops(v int) {
	s := step{kind: loop, v: v}
	for i, a := range b.pattern.Atoms {
		if !a.Head.Constant && !a.Tail.Constant && a.Head.Index == v && a.Tail.Index == v {
			s.links = append(s.links, link{atom: i, relation: a.Relation, negated: a.Negated})
		}
	}
	if s.links != nil {
		b.add(s)
	}
}

// between returns the atoms between u and v as links that are read from u.
func (b *planner) between(u, v int) []link {
	var links []link
	for i, a := range b.pattern.Atoms {
		if a.Head.Constant || a.Tail.Constant || u == v {
			continue
		}
		l := link{atom: i, relation: a.Relation, negated: a.Negated}
		switch {
		case a.Head.Index == u && a.Tail.Index == v:
		case a.Head.Index == v && a.Tail.Index == u:
			l.inverse = true
		default:
			continue
		}
		links = append(links, l)
	}
	return links
}

// neighbors returns the variables that are not done and share an atom with u.
func (b *planner) neighbors(u int) []int {
	var vs []int
	for v := range b.done {
		if v != u && !b.done[v] && len(b.between(u, v)) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// leafOrCycle adds the steps that are done with one existential variable, and
// reports false if there is none left.
func (b *planner) leafOrCycle() bool {
	one, many := -1, -1
	for u := 1; u < len(b.done); u++ {
		if b.done[u] {
			continue
		}
		// What is told of one leaf may tell of another: that one goes first.
		if len(b.neighbors(u)) <= 1 && (one < 0 || b.informed[u] && !b.informed[one]) {
			one = u
		}
		if many < 0 || b.rather(u, many) {
			many = u
		}
	}
	switch {
	case one >= 0:
		b.leaf(one)
	case many >= 0:
		b.cycle(many)
	}
	return many >= 0
}

// leaf adds the steps that are done with a variable of one neighbour or none.
func (b *planner) leaf(u int) {
	b.loops(u)
	b.done[u] = true
	vs := b.neighbors(u)
	if len(vs) == 0 {
		b.add(step{kind: vanish, u: u})
		return
	}
	s := step{kind: push, u: u, v: vs[0], links: b.between(u, vs[0])}
	if !b.informed[u] {
		s.kind = leaf
	} else if positive(s.links) {
		b.informed[s.v] = true
	}
	b.add(s)
}

func positive(links []link) bool {
	for _, l := range links {
		if !l.negated {
			return true
		}
	}
	return false
}

// rather reports whether a cycle is cut at u rather than at v: at variables of
// which something is known, with constants, and read from their heads.
func (b *planner) rather(u, v int) bool {
	for _, better := range [][2]bool{{b.informed[u], b.informed[v]}, {b.anchored[u], b.anchored[v]}} {
		if better[0] != better[1] {
			return better[0]
		}
	}
	return b.forward(u) > b.forward(v)
}

// forward counts the atoms of which u is the head, less those of which it is the
// tail, among those with variables that are not done.
func (b *planner) forward(u int) int {
	sum := 0
	for _, v := range b.neighbors(u) {
		for _, l := range b.between(u, v) {
			if l.inverse {
				sum--
			} else {
				sum++
			}
		}
	}
	return sum
}

// cycle adds the steps that enumerate u.
func (b *planner) cycle(u int) {
	b.loops(u)
	b.done[u] = true
	s := step{kind: enumerate, u: u}
	vs := b.neighbors(u)
	for _, v := range vs {
		if links := b.between(v, u); !b.informed[u] && b.informed[v] && positive(links) {
			b.add(step{kind: propose, u: v, v: u, links: links})
		}
	}
	for _, v := range vs {
		links := b.between(u, v)
		for _, l := range links {
			s.links, s.into = append(s.links, l), append(s.into, v)
		}
		if positive(links) {
			b.informed[v] = true
		}
	}
	b.add(s)
}
