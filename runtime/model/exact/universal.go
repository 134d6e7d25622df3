package exact

// negateBranches gives negated links the universal reading: a link that alone
// connects a branch with the target's part negates the branch as a whole; inequalities
// are read as they are. What
// the branch leads to is taken from the candidates at the near end, and the
// branch is gone. It reports false if that shows that there is no answer.
func (s *Solver) negateBranches(q *problem, target int) bool {
	for i := 0; i < len(q.links); i++ {
		l := q.links[i]
		if !l.negated || l.identity() {
			continue
		}
		others := append(append([]link(nil), q.links[:i]...), q.links[i+1:]...)
		near := q.reach(target, others)
		if near[l.head] == near[l.tail] {
			continue
		}
		from, to := l.head, l.tail
		if near[from] {
			from, to = to, from
		}
		l.negated = false
		far := q.reach(from, others)
		q.links = others
		branch := q.split(from)
		branch.links = append(branch.links, l)
		for v, inBranch := range far {
			if inBranch {
				q.domains[v] = s.all // no longer a condition
			} else if v != to {
				branch.domains[v] = s.all
			}
		}
		var barred []int32
		if s.negateBranches(branch, to) {
			barred = s.solve(branch, to, false)
		}
		if q.domains[to] = subtract(q.domains[to], barred); len(q.domains[to]) == 0 || s.exhausted {
			return false
		}
		i = -1
	}
	return true
}
