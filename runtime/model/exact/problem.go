package exact

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// problem is a disjunct with filled slots, in the course of being solved.
type problem struct {
	// domains holds the candidates of each variable, nil for all entities: an empty domain is not nil. Each
	// occurrence of a constant is a variable with one candidate.
	domains [][]int32
	// links are the remaining atoms between two variables.
	links []link
	// loops are the atoms between a variable and itself.
	loops []link
	// filters are the disjunct's, selections the entities that meet them, by slot.
	filters    []scq.Filter
	selections []*model.Selection
}

// link is an atom between two variables.
type link struct {
	edge
	head, tail int
}

// edge is the relation of an atom with the facts to look the atom up in. For an inequality, it is negated identity,
// which has no facts.
type edge struct {
	facts    Facts
	relation graph.RelationID
	negated  bool
}

// identity reports whether the edge belongs to an inequality.
func (e edge) identity() bool { return e.facts == nil }

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

func (e edge) back() edge {
	e.relation = e.relation.Inverse()
	return e
}

// newProblem fills the slots of a disjunct. facts returns the facts to look an atom up in.
func (s *Solver) newProblem(p *scq.Disjunct, b scq.Bindings, facts func(atom int) Facts) *problem {
	s.open = 0
	q := s.problem()
	q.filters = p.Filters
	q.selections = b.Filters
	for range p.Variables {
		q.domains = append(q.domains, nil)
	}
	variable := func(t scq.Term) int {
		if !t.Constant {
			return t.Index
		}
		q.domains = append(q.domains, s.only(int32(b.Constants[t.Index])))
		return len(q.domains) - 1
	}
	for i, a := range p.Atoms {
		l := link{edge{negated: a.Negated}, variable(a.Head), variable(a.Tail)}
		if !a.Unequal() {
			l.facts, l.relation = facts(i), b.Relations[a.Relation]
		}
		if l.head == l.tail {
			q.loops = append(q.loops, l)
		} else {
			q.links = append(q.links, l)
		}
	}
	return q
}

// only returns the set of one entity.
func (s *Solver) only(e int32) []int32 { return s.keep(append(s.room.list(1), e)) }

// within restricts a variable to the given entities.
func (s *Solver) within(q *problem, v int, entities []int32) {
	q.domains[v] = s.intersect(q.domains[v], entities)
}

// filter restricts the candidates to those known to meet the filters: it examines a few candidates one by one, and
// for many it scans all values.
func (s *Solver) filter(q *problem) {
	for _, f := range q.filters {
		domain := q.domains[f.Variable]
		by := q.selections[f.Slot]
		if domain != nil && len(domain) <= by.Values()/lopsided {
			s.spend(len(domain))
			q.domains[f.Variable] = slices.DeleteFunc(slices.Clone(domain), func(e int32) bool { return !by.Known(graph.EntityID(e)) })
			continue
		}
		meeting := by.Meeting(func() bool { return s.spend(1) })
		s.spend(min(len(domain), len(meeting)))
		q.domains[f.Variable] = s.intersect(domain, meeting)
	}
}

// run solves a new problem: it returns the values of the target variable.
func (s *Solver) run(q *problem, target int) []int32 {
	for _, l := range q.loops {
		domain := q.domains[l.head]
		if domain == nil && !l.negated {
			domain = s.heads(l.edge)
		}
		domain = s.list(domain)
		s.spend(len(domain))
		q.domains[l.head] = slices.DeleteFunc(slices.Clone(domain), func(e int32) bool {
			return contains(s.tails(l.edge, e, []int32{e}), e) == l.negated
		})
	}
	s.narrow(q)
	s.filter(q)
	if s.Reading != Universal {
		return s.solve(q, target, false)
	}
	barred, some := s.negateBranches(q, target)
	if !some {
		return nil
	}
	return s.subtract(s.solve(q, target, false), barred)
}

// narrow restricts the neighbours of constants to the entities linked to them, so that later steps start from few
// candidates.
func (s *Solver) narrow(q *problem) {
	for _, l := range q.links {
		switch {
		case l.negated:
		case len(q.domains[l.head]) == 1:
			q.domains[l.tail] = s.restrict(q.domains[l.tail], l.back(), q.domains[l.head][0])
		case len(q.domains[l.tail]) == 1:
			q.domains[l.head] = s.restrict(q.domains[l.head], l.edge, q.domains[l.tail][0])
		}
	}
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
