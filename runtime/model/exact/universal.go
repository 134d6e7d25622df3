package exact

// negateBranches gives negated links the universal reading: the only link between a branch and the target's part, if
// negated, negates the branch as a whole; inequalities are unaffected. It removes the entities that the branch
// reaches from the candidates at the near end, and drops the branch. If the near end is the target, it returns these
// entities as barred from the answers. It reports false if there is no answer.
func (s *Solver) negateBranches(q *problem, target int) (barred []int32, some bool) {
	for i := 0; i < len(q.links); i++ {
		l := q.links[i]
		if !l.negated || l.identity() {
			continue
		}
		others := append(append([]link(nil), q.links[:i]...), q.links[i+1:]...)
		near := q.reach(nil, target, others)
		if near[l.head] == near[l.tail] {
			continue
		}
		from := l.head
		to := l.tail
		if near[from] {
			from, to = to, from
		}
		l.negated = false
		far := q.reach(nil, from, others)
		q.links = others
		branch := s.split(q, from)
		branch.links = append(branch.links, l)
		for v, inBranch := range far {
			if inBranch {
				q.domains[v] = nil // no longer a condition
			} else if v != to {
				branch.domains[v] = nil
			}
		}
		var led []int32
		if without, some := s.negateBranches(branch, to); some {
			led = s.subtract(s.solve(branch, to, false), without)
		}
		if to == target {
			barred = s.unite(barred, led)
		} else {
			domain := s.list(q.domains[to])
			s.spend(len(domain))
			q.domains[to] = s.subtract(domain, led)
		}
		if empty(q.domains[to]) || s.err != nil {
			return nil, false
		}
		i = -1
	}
	return barred, true
}
