package exact

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// tails returns the tails of an edge from head. Only entities in within matter: for many tails, it looks up these
// entities instead.
func (s *Solver) tails(e edge, head int32, within []int32) []int32 {
	if e.identity() {
		return []int32{head}
	}
	return s.inAny(e.facts, func(g *graph.Graph) []int32 {
		tails := g.Tails(graph.EntityID(head), e.relation)
		if within != nil && len(tails) > lopsided*len(within) {
			s.spend(len(within))
			return s.intersect(within, tails)
		}
		return tails
	})
}

// heads returns the heads of a positive edge.
func (s *Solver) heads(e edge) []int32 {
	return s.inAny(e.facts, func(g *graph.Graph) []int32 {
		heads, _ := g.Edges(e.relation)
		s.spend(len(heads))
		return s.keep(slices.Compact(append(s.room.list(len(heads)), heads...)))
	})
}

// only returns the set of one entity.
func (s *Solver) only(e int32) []int32 { return s.keep(append(s.room.list(1), e)) }

// within restricts a variable to the given entities.
func (s *Solver) within(q *problem, v int, entities []int32) {
	q.domains[v] = s.intersect(q.domains[v], entities)
}

// restrict returns the candidates that satisfy an atom whose other end is e.
func (s *Solver) restrict(domain []int32, a edge, e int32) []int32 {
	near := s.tails(a.back(), e, domain)
	switch {
	case a.negated:
		domain = s.list(domain)
		s.spend(len(domain))
		return s.subtract(domain, near)
	case domain != nil:
		s.spend(min(len(domain), len(near)))
	}
	return s.intersect(domain, near)
}

// bound returns the problem in which variable v has the value e.
func (s *Solver) bound(q *problem, v int, e int32) *problem {
	sub := s.problem()
	sub.domains = append(sub.domains, q.domains...)
	sub.domains[v] = s.only(e)
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
