package fullfit

import "github.com/efoc/efoc/runtime/scq"

// kind is the kind of a step.
type kind int

const (
	fact      kind = iota // an atom of constants scales the whole
	constant              // the row of a constant is multiplied into v
	loop                  // r(v,v) is multiplied into v
	push                  // u is eliminated by a message to v
	vanish                // u, which has no neighbour, is eliminated: its largest degree scales the whole
	condition             // u is fixed to each of its values in turn
)

// step is a step of the elimination. u is the variable that is eliminated, v the one
// whose degrees change.
type step struct {
	kind  kind
	u, v  int
	links []link
}

// link is an atom as it is read: from a constant or variable that is known to the
// other.
type link struct {
	relation int // slot
	inverse  bool
	negated  bool
	from     int // constant slot, for fact and constant
	to       int // constant slot for fact, for condition the variable whose degrees change
	matrix   *matrix
}

// order returns the elimination of a pattern. The degrees depend on its order only by the
// end that each atom is read from, see package runtime/fit: the rules are the same.
func order(p *scq.Graph) []step {
	o := &orderer{
		pattern: p, done: make([]bool, len(p.Variables)),
		informed: make([]bool, len(p.Variables)), anchored: make([]bool, len(p.Variables)),
	}
	for _, a := range p.Atoms {
		o.constant(a)
	}
	for u := o.next(); u > 0; u = o.next() {
		o.loops(u)
		o.done[u] = true
		if len(o.neighbors(u)) > 1 {
			o.condition(u)
		} else {
			o.leaf(u)
		}
	}
	o.loops(0)
	return o.steps
}

// orderer collects the steps.
type orderer struct {
	pattern *scq.Graph
	steps   []step
	done    []bool
	// informed variables are reached from a constant by links that are not negated;
	// anchored ones share an atom with a constant.
	informed, anchored []bool
}

// constant adds the step of an atom that has a constant.
func (o *orderer) constant(a scq.Atom) {
	l := link{relation: a.Relation, negated: a.Negated, from: a.Head.Index, to: a.Tail.Index}
	if !a.Head.Constant {
		l.from, l.to, l.inverse = a.Tail.Index, a.Head.Index, true
	}
	switch {
	case a.Head.Constant && a.Tail.Constant:
		o.steps = append(o.steps, step{kind: fact, links: []link{l}})
	case a.Head.Constant || a.Tail.Constant:
		o.steps = append(o.steps, step{kind: constant, v: l.to, links: []link{l}})
		o.anchored[l.to] = true
		o.informed[l.to] = o.informed[l.to] || !a.Negated
	}
}

// between returns the atoms of two variables, read from u.
func (o *orderer) between(u, v int) (links []link, positive bool) {
	for _, a := range o.pattern.Atoms {
		l := link{relation: a.Relation, negated: a.Negated, to: v}
		switch {
		case a.Head.Constant || a.Tail.Constant:
			continue
		case a.Head.Index == u && a.Tail.Index == v:
		case a.Head.Index == v && a.Tail.Index == u:
			l.inverse = true
		default:
			continue
		}
		links, positive = append(links, l), positive || !a.Negated
	}
	return links, positive
}

// neighbors returns the variables that share atoms with u and are not eliminated.
func (o *orderer) neighbors(u int) (vs []int) {
	for v := range o.done {
		if links, _ := o.between(u, v); v != u && !o.done[v] && links != nil {
			vs = append(vs, v)
		}
	}
	return vs
}

// next returns the existential variable to eliminate: a leaf if there is one, an informed
// one rather than another, or else the best one to condition on. It is 0 if none is
// left.
func (o *orderer) next() int {
	leaf, cycle := 0, 0
	for u := 1; u < len(o.done); u++ {
		switch {
		case o.done[u]:
		case len(o.neighbors(u)) <= 1:
			if leaf == 0 || o.informed[u] && !o.informed[leaf] {
				leaf = u
			}
		case cycle == 0 || o.rather(u, cycle):
			cycle = u
		}
	}
	if leaf > 0 {
		return leaf
	}
	return cycle
}

// rather reports whether to condition on u rather than on v.
func (o *orderer) rather(u, v int) bool {
	switch {
	case o.informed[u] != o.informed[v]:
		return o.informed[u]
	case o.anchored[u] != o.anchored[v]:
		return o.anchored[u]
	}
	return o.forward(u) > o.forward(v)
}

// forward counts the atoms that lead from u to variables that are not eliminated, less
// those that lead to u.
func (o *orderer) forward(u int) int {
	sum := 0
	for _, v := range o.neighbors(u) {
		links, _ := o.between(u, v)
		for _, l := range links {
			if l.inverse {
				sum--
			} else {
				sum++
			}
		}
	}
	return sum
}

// loops adds the step for the atoms r(v,v).
func (o *orderer) loops(v int) {
	if links, _ := o.between(v, v); links != nil {
		o.steps = append(o.steps, step{kind: loop, v: v, links: links})
	}
}

// leaf eliminates a variable of one neighbour or none.
func (o *orderer) leaf(u int) {
	vs := o.neighbors(u)
	if len(vs) == 0 {
		o.steps = append(o.steps, step{kind: vanish, u: u})
		return
	}
	links, positive := o.between(u, vs[0])
	o.steps = append(o.steps, step{kind: push, u: u, v: vs[0], links: links})
	o.informed[vs[0]] = o.informed[vs[0]] || positive && o.informed[u]
}

// condition adds the step that conditions on a variable.
func (o *orderer) condition(u int) {
	s := step{kind: condition, u: u}
	for _, v := range o.neighbors(u) {
		links, positive := o.between(u, v)
		s.links = append(s.links, links...)
		o.informed[v] = o.informed[v] || positive
	}
	o.steps = append(o.steps, s)
}
