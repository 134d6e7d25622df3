package exact

// project returns the elements of to that satisfy all edges at once from some element of from.
func (s *Solver) project(from, to []int32, edges []edge) []int32 {
	positive := s.positive[:0]
	negated := s.negated[:0]
	forward := s.size(from) <= s.size(to)
	for _, e := range edges {
		switch {
		case e.negated:
			negated = append(negated, e)
		case forward:
			positive = append(positive, e)
		default:
			positive = append(positive, e.back())
		}
	}
	s.positive = positive
	s.negated = negated
	switch {
	case len(positive) == 0:
		return s.projectNegated(from, to, negated)
	case len(edges) == 1 && from == nil && s.size(to) > s.n/lopsided:
		return s.intersect(to, s.heads(edges[0].back()))
	case forward:
		if from == nil {
			from = s.heads(positive[0])
		}
		return s.projectForward(from, to, positive, negated)
	case to == nil:
		to = s.heads(positive[0])
	}
	for i, e := range negated {
		negated[i] = e.back()
	}
	return s.projectBackward(from, to, positive, negated)
}

// projectNegated is project for negated edges only. It excludes an element if every element of from has an edge to
// it; few remain after a few elements of from.
func (s *Solver) projectNegated(from, to []int32, negated []edge) []int32 {
	barred := to
	for x := range s.each(from) {
		if empty(barred) || !s.spend(1) {
			break
		}
		tails := s.tails(negated[0], x, barred)
		for _, e := range negated[1:] {
			tails = s.unite(tails, s.tails(e, x, barred))
		}
		s.spend(min(len(tails), s.size(barred)))
		barred = s.intersect(barred, tails)
	}
	to = s.list(to)
	s.spend(len(to))
	return s.subtract(to, barred)
}

func (s *Solver) projectForward(from, to []int32, positive, negated []edge) []int32 {
	for _, x := range from {
		tails := s.common(x, to, positive, negated)
		if !s.spend(1 + len(tails)) {
			return nil
		}
		if len(from) == 1 {
			s.spend(min(len(tails), len(to)))
			return s.intersect(tails, to)
		}
		s.union.add(tails...)
	}
	found := s.union.take(&s.room)
	s.spend(min(len(found), len(to)))
	return s.intersect(found, to)
}

// common returns the entities that satisfy all positive and negated edges from x. Only entities in within matter.
func (s *Solver) common(x int32, within []int32, positive, negated []edge) []int32 {
	tails := s.tails(positive[0], x, within)
	for _, e := range positive[1:] {
		s.spend(len(tails))
		tails = s.intersect(tails, s.tails(e, x, tails))
	}
	for _, e := range negated {
		s.spend(len(tails))
		tails = s.subtract(tails, s.tails(e, x, tails))
	}
	return tails
}

// projectBackward tests the elements of to, by their edges back to from.
func (s *Solver) projectBackward(from, to []int32, positive, negated []edge) []int32 {
	out := s.room.list(len(to))
	out = s.keep(out[:cap(out)])[:0] // the search makes other lists meanwhile
	for _, y := range to {
		heads := s.common(y, from, positive, negated)
		if !s.spend(1 + min(len(heads), len(from))) {
			return nil
		}
		if meets(heads, from) {
			out = append(out, y)
		}
	}
	return out
}
