package fit

import "slices"

// enumerate makes a branch of each value of u.
func (m *machine) enumerate(s *state, x int, rows map[key]*fuzzy) {
	st := &m.plan.steps[x]
	type branch struct {
		parent, value int // value indexes best
		weight        float32
	}
	var branches []branch
	best := s.best[x]
	for b, w := range s.weights {
		u := per(s.vars[st.u], b)
		for i, c := range best {
			if d := w * u.at(c); d > 0 {
				branches = append(branches, branch{b, i, d})
			}
		}
	}
	if limit := maxBranches * m.settings.Candidates; len(branches) > limit && !m.exact() {
		slices.SortStableFunc(branches, func(a, b branch) int {
			switch {
			case a.weight > b.weight:
				return -1
			case a.weight < b.weight:
				return 1
			}
			return 0
		})
		branches = branches[:limit]
	}
	follow := func(of int) []*fuzzy {
		x := make([]*fuzzy, len(branches))
		for i, b := range branches {
			x[i] = per(s.vars[of], b.parent)
		}
		return x
	}
	weights, values := make([]float32, len(branches)), make([]int32, len(branches))
	for i, b := range branches {
		weights[i], values[i] = b.weight, best[b.value]
	}
	for v := range s.vars {
		if len(s.vars[v]) > 1 {
			s.vars[v] = follow(v)
		}
	}
	for v, old := range s.values {
		next := make([]int32, len(branches))
		for i, b := range branches {
			next[i] = old[b.parent]
		}
		s.values[v] = next
	}
	s.weights, s.values[st.u] = weights, values
	for v := range s.vars {
		if !slices.Contains(st.into, v) {
			continue
		}
		products := make([]*fuzzy, len(best))
		for i, c := range best {
			products[i] = m.product(s, st, c, v, rows)
		}
		each := make([]*fuzzy, len(branches))
		for i, b := range branches {
			each[i] = products[b.value]
		}
		if len(branches) > 0 {
			m.restrict(s, v, each)
		}
	}
}
