package exact

import (
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
)

// solve returns the values of the target in the solutions of a problem; first says that one value suffices.
func (s *Solver) solve(q *problem, target int, first bool) []int32 {
	if !s.prune(q, target) {
		return nil
	}
	// Components no longer linked to the target need only one solution each.
	for {
		s.near = q.reach(s.near, target, q.links)
		i := slices.IndexFunc(q.links, func(l link) bool { return !s.near[l.head] })
		if i < 0 {
			break
		}
		open := s.open
		part := s.split(q, q.links[i].head)
		if len(s.solve(part, s.fewest(part), true)) == 0 {
			return nil
		}
		s.open = open
	}
	if len(q.links) == 0 {
		return s.list(q.domains[target])
	}
	if !s.supported(q) {
		return nil
	}
	// The remaining links are in cycles, or between them: try values.
	v := s.fewest(q)
	var found []int32
	open := s.open
	candidates := q.domains[v]
	for i := range s.size(candidates) {
		e := int32(i)
		if candidates != nil {
			e = candidates[i]
		}
		s.open = open
		if !s.spend(1) {
			return nil
		}
		sub := s.bound(q, v, e)
		if v != target && len(found) > 0 {
			domain := s.list(sub.domains[target])
			s.spend(len(domain))
			sub.domains[target] = s.subtract(domain, found)
		}
		if sub.empty() {
			continue
		}
		found = s.unite(found, s.solve(sub, target, first))
		if len(found) > 0 && (first || len(found) == s.size(q.domains[target])) {
			break
		}
	}
	return found
}

// empty reports whether a variable has no candidate.
func (q *problem) empty() bool { return slices.ContainsFunc(q.domains, empty) }

// prune projects variables with a single neighbour into it, until only the target and variables in cycles remain. It
// reports false if there is no solution.
func (s *Solver) prune(q *problem, target int) bool {
	if q.empty() {
		return false
	}
	for {
		leaf, to := q.leaf(target)
		if leaf < 0 {
			return s.err == nil
		}
		edges := s.edges[:0]
		q.links = slices.DeleteFunc(q.links, func(l link) bool {
			switch leaf {
			case l.head:
				edges = append(edges, l.edge)
			case l.tail:
				edges = append(edges, l.back())
			default:
				return false
			}
			return true
		})
		s.edges = edges
		q.domains[to] = s.project(q.domains[leaf], q.domains[to], edges)
		if len(q.domains[to]) == 0 || s.err != nil {
			return false
		}
	}
}

// leaf returns a variable other than the target with exactly one neighbour, and that neighbour, or -1. It prefers
// leaves with a positive link: by then, negated links alone apply to few candidates.
func (q *problem) leaf(target int) (leaf, to int) {
	negated := -1
	negatedTo := -1
	for v := range q.domains {
		if v == target {
			continue
		}
		to := -1
		single := true
		positive := false
		for _, l := range q.links {
			if l.head != v && l.tail != v {
				continue
			}
			other := l.head + l.tail - v
			single = single && (to < 0 || to == other)
			positive = positive || !l.negated
			to = other
		}
		switch {
		case !single || to < 0:
		case positive:
			return v, to
		case negated < 0:
			negated = v
			negatedTo = to
		}
	}
	return negated, negatedTo
}

// reach returns which variables the given links connect with v, in the memory of near.
func (q *problem) reach(near []bool, v int, links []link) []bool {
	near = reuse.Slice(near, len(q.domains))
	clear(near)
	near[v] = true
	for changed := true; changed; {
		changed = false
		for _, l := range links {
			if near[l.head] != near[l.tail] {
				near[l.head] = true
				near[l.tail] = true
				changed = true
			}
		}
	}
	return near
}

// split moves the links connected with v to a problem of their own, which it returns.
func (s *Solver) split(q *problem, v int) *problem {
	s.far = q.reach(s.far, v, q.links)
	part := s.problem()
	part.domains = append(part.domains, q.domains...)
	q.links = slices.DeleteFunc(q.links, func(l link) bool {
		if s.far[l.head] {
			part.links = append(part.links, l)
		}
		return s.far[l.head]
	})
	return part
}

// supported repeatedly drops candidates without a partner at the other end of a positive link, until nothing changes.
// It reports false if a variable has none left.
func (s *Solver) supported(q *problem) bool {
	for changed := true; changed; {
		changed = false
		for _, l := range q.links {
			if l.negated {
				continue
			}
			for _, d := range []struct {
				from, to int
				edge     edge
			}{{l.head, l.tail, l.edge}, {l.tail, l.head, l.back()}} {
				next := s.project(q.domains[d.from], q.domains[d.to], []edge{d.edge})
				if len(next) == 0 || s.err != nil {
					return false
				}
				if len(next) < s.size(q.domains[d.to]) {
					q.domains[d.to] = next
					changed = true
				}
			}
		}
	}
	return true
}

// fewest returns the variable with the fewest candidates among those with a link.
func (s *Solver) fewest(q *problem) int {
	best := q.links[0].head
	for _, l := range q.links {
		for _, v := range []int{l.head, l.tail} {
			if s.size(q.domains[v]) < s.size(q.domains[best]) {
				best = v
			}
		}
	}
	return best
}
