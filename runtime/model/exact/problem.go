package exact

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// problem is a pattern with its slots filled, while it is being solved.
type problem struct {
	// domains holds the candidates of each variable, nil for all entities.
	domains [][]int32
	// links are the atoms between two variables that are still open.
	links []link
	// fixed are the other atoms.
	fixed []fixedAtom
}

// link is an atom between two different variables.
type link struct {
	edge
	head, tail int
}

// edge is the relation of an atom in the graph that the atom is looked up in.
type edge struct {
	graph    *model.Graph
	relation model.RelationID
	negated  bool
}

func (e edge) tails(head int32) []int32 { return e.graph.Tails(model.EntityID(head), e.relation) }

func (e edge) back() edge {
	e.relation = e.relation.Inverse()
	return e
}

// fixedAtom is an atom whose far end is a constant, or the same variable again
// (far < 0). A near end that is a constant has variable -1.
type fixedAtom struct {
	edge
	variable  int
	near, far int32
}

// newProblem fills the slots of a pattern. graph says where to look an atom up.
func newProblem(p *scq.Graph, b scq.Bindings, graph func(atom int) *model.Graph) *problem {
	q := &problem{domains: make([][]int32, len(p.Variables))}
	for i, a := range p.Atoms {
		e := edge{graph(i), b.Relations[a.Relation], a.Negated}
		h, t := a.Head, a.Tail
		switch {
		case !h.Constant && !t.Constant && h.Index != t.Index:
			q.links = append(q.links, link{e, h.Index, t.Index})
		case !h.Constant && !t.Constant:
			q.fixed = append(q.fixed, fixedAtom{e, h.Index, 0, -1})
		case h.Constant && t.Constant:
			q.fixed = append(q.fixed, fixedAtom{e, -1, int32(b.Constants[h.Index]), int32(b.Constants[t.Index])})
		case h.Constant:
			q.fixed = append(q.fixed, fixedAtom{e.back(), t.Index, 0, int32(b.Constants[h.Index])})
		default:
			q.fixed = append(q.fixed, fixedAtom{e, h.Index, 0, int32(b.Constants[t.Index])})
		}
	}
	return q
}

// run solves a new problem: it returns the values of the target variable.
func (s *Solver) run(q *problem, target int) []int32 {
	for v, d := range q.domains {
		if d == nil {
			q.domains[v] = s.all
		}
	}
	if !s.applyFixed(q) {
		return nil
	}
	if s.Reading == Universal && !s.negateBranches(q, target) {
		return nil
	}
	return s.solve(q, target, false)
}

// applyFixed cuts the domains down by the atoms that are not links, positive ones
// first, and reports false if that shows that there is no answer.
func (s *Solver) applyFixed(q *problem) bool {
	for _, negated := range []bool{false, true} {
		for _, a := range q.fixed {
			if a.negated != negated {
				continue
			}
			switch {
			case a.variable < 0:
				if contains(a.tails(a.near), a.far) == a.negated {
					return false
				}
			case a.far < 0:
				q.domains[a.variable] = s.loops(a.edge, q.domains[a.variable])
			default:
				q.domains[a.variable] = s.restrict(q.domains[a.variable], a.edge, a.far)
			}
		}
	}
	return !s.exhausted
}

// restrict returns the candidates that agree with an atom whose far end is e.
func (s *Solver) restrict(domain []int32, a edge, e int32) []int32 {
	near := a.back().tails(e)
	switch {
	case a.negated:
		s.spend(len(domain))
		return subtract(domain, near)
	case len(domain) == s.n:
		return near
	}
	s.spend(min(len(domain), len(near)))
	return intersect(domain, near)
}

// loops returns the candidates that agree with an atom about themselves.
func (s *Solver) loops(a edge, domain []int32) []int32 {
	s.spend(len(domain))
	var out []int32
	for _, e := range domain {
		if contains(a.tails(e), e) != a.negated {
			out = append(out, e)
		}
	}
	return out
}

// bound returns the problem in which variable v has the value e.
func (s *Solver) bound(q *problem, v int, e int32) *problem {
	sub := &problem{domains: slices.Clone(q.domains), links: make([]link, 0, len(q.links))}
	sub.domains[v] = []int32{e}
	for _, l := range q.links {
		switch v {
		case l.head:
			sub.domains[l.tail] = s.restrict(sub.domains[l.tail], l.back(), e)
		case l.tail:
			sub.domains[l.head] = s.restrict(sub.domains[l.head], l.edge, e)
		default:
			sub.links = append(sub.links, l)
		}
	}
	return sub
}
