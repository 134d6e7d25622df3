package fit

import "slices"

// A plan ends with a push into the free variable more often than not, and who wants k answers needs
// few of its rows: what a candidate gives to an entity that no observed link leads to is at
// most limit times its own degree. So rows of candidates that Make should make wait for the op that
// reads them; if that is a push in one branch, the push waits too, and if all that reads it is
// Dense, the run ends. Finish then knows k:
//
//	push along observed links alone     the k-th best degree is at least some τ
//	T(limit, degree of a candidate)     below τ: its rows would change none of the k best
//	push again                          with the rows of the others
//
// Degrees of the k best entities, ties included, are those of all rows. A mixture, which has
// its own k best, asks for the first line by Least and for the others by Complete.

// deferredRows is what waits, from Make to the op that needs it.
type deferredRows struct {
	waits bool // rows of candidates: the candidates of the request
	set   *Set // the push that waits too, nil if there is none
	known *Set // what it is narrowed by, nil if it is not
	dst   []float32
}

// defers reports whether the rows of a request may wait: those of candidates under atoms
// that are not negated.
func (m *Machine) defers(r *request) bool {
	return m.run.Part == nil && !m.exact() && !m.rowsAlone && len(r.sets) == 0 && len(r.candidates) > 0 &&
		!slices.ContainsFunc(r.candidates, func(b *RowSet) bool { return b.negated || b.top != r.candidates[0].top })
}

// pushLater reports whether a push waits for its rows, which are those that wait, beside
// inequalities. known is nil if it is not narrowed.
func (m *Machine) pushLater(s, known, x *Set, rows []*RowSet) bool {
	l := &m.late
	waiting := 0
	for _, r := range rows {
		if slices.Contains(m.request.candidates, r) {
			waiting++
		} else if !r.unequal {
			waiting = -len(rows)
		}
	}
	if !l.waits || l.set != nil || waiting != len(m.request.candidates) || len(x.each) != 1 || known != nil && len(known.each) != 1 {
		m.now()
		return false
	}
	l.set, l.known = s, known
	return true
}

// now makes what waits.
func (m *Machine) now() {
	l := m.late
	if !l.waits {
		return
	}
	m.late = deferredRows{}
	m.makeAll()
	if l.set != nil {
		l.set.each[0] = m.evaluate(&l)
	}
	if l.dst != nil {
		l.set.single().dense(l.dst)
	}
}

// Finish computes pending rows, if there are any. If k is not 0 and the pending result is the
// answer, only its k best entities then have their exact degrees; the others have at most
// theirs.
func (m *Machine) Finish(k int) {
	if k > 0 {
		if x := m.least(); x != nil {
			if best := m.heap.best(x, k, m.n); len(best) == k {
				least := best[k-1].Score * (1 - 1e-6)
				m.drop(func(most float32) bool { return most < least })
			}
		}
	}
	m.now()
}

// evaluate computes the push that waited.
func (m *Machine) evaluate(l *deferredRows) *fuzzy {
	o := m.pushOf(l)
	p := m.pusher(o.rows)
	if !m.goesOn() {
		return none
	}
	if l.known == nil {
		return m.pushed(&p, o.of.single())
	}
	return m.narrow(&p, l.known.single(), o.of.single())
}

// pushOf returns how the set of a push was made.
func (m *Machine) pushOf(l *deferredRows) *origin {
	if l.known == nil {
		return &l.set.made
	}
	return &l.set.made.with[1].made
}

// least returns the degrees that observed links alone give an answer for which rows of candidates
// wait, nil if none do.
func (m *Machine) least() *fuzzy {
	l := &m.late
	if !l.waits || l.dst == nil || l.set != m.answer {
		return nil
	}
	candidates := m.request.candidates
	top := candidates[0].top
	if top.withRows == 0 {
		return nil
	}
	for _, b := range candidates {
		for i, e := range top.ids {
			b.each[i] = m.observed(e, b.relation)
		}
	}
	return m.evaluate(l)
}

// drop takes their rows from candidates that give no entity a degree that matters, except through
// observed links: where outdone says so of the most that they can give.
func (m *Machine) drop(outdone func(most float32) bool) {
	l := &m.late
	top, x := m.request.candidates[0].top, m.pushOf(l).of.single()
	most := float32(limit)
	if l.known != nil {
		most = m.norm.Both(most, l.known.single().top(m.n))
	}
	for top.withRows > 0 && outdone(m.norm.Both(most, x.at(top.ids[top.withRows-1]))) {
		top.withRows--
	}
}
