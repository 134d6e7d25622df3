package exact

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

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
