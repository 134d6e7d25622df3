package fit

import "slices"

// The k best answers need few rows of candidates: a candidate gives an entity that no observed link
// leads to at most limit times its own degree. So Make defers rows of candidates, and everything that
// depends on them. When the plan has ended and k is known, the deferred steps are evaluated twice:
//
//	along observed links alone        the k-th best degree is at least some τ
//	T(limit, degree of a candidate)   below τ: its rows would change none of the k best
//	again                             with the rows of the others
//
// Under a negated atom, a candidate whose row waits counts as nothing at first: the degree 1 − P has
// no other bound than 0 without the row. Such a candidate gives an entity at most its own degree.
// Values without rows give their own degree to every entity that no observed link leads to from them.
//
// contest.go bounds what a candidate gives more closely.
//
// This holds along chains of pushes, too: a degree that comes from a candidate never exceeds the
// candidate's. The K best of a variable may differ, but only among those below τ. The k best answers,
// ties included, have the same degrees as if all rows were read. A mixture has its own k best: it asks
// for the first line by Least and for the others by Complete.

// A run is in one phase at a time. The phase and a step determine the action, see next:
//
//	phase       rows of candidates                  operand waits   operand is renewed   other steps
//	planning    wait, negated ones if no value      wait            –                    evaluate
//	            without a row is as good
//	observing   observed links alone                evaluate        –                    evaluate
//	completing  renew, without candidates that      –               renew                keep
//	            the contest drops; keep if none
//	            has a row
//	allRows     evaluate                            evaluate        –                    evaluate
//
// A run that defers nothing is in the last phase from its start. In one that does, rows may be made of codes alone
// in every phase, see ReadsCodes.

// phase says how far a run is.
type phase uint8

const (
	planning   phase = iota // the ops of the plan follow one another
	observing               // Least, and Finish for some answers
	completing              // Complete, and Finish after observing
	allRows                 // Finish for all answers, and ops whose operands must not wait
)

// action is done with a step.
type action uint8

const (
	evaluate action = iota
	wait
	observe // make rows of observed links alone
	renew   // evaluate again what differs
	keep    // as observed links alone have it
)

// Want says which degrees a run must compute. The zero Want is all.
type Want struct {
	// Best asks for the best answers alone, as many as Finish or Complete says.
	Best bool
	// Sets asks for the degrees of existential variables, too.
	Sets bool
}

// deferral is what a run defers.
type deferral struct {
	phase   phase
	want    Want
	defers  bool   // steps may wait
	steps   []step // that wait, in the order of the plan
	pending mixture
}

// start starts a run, in which steps may wait or not.
func (d *deferral) start(w Want, defers bool) {
	d.want = w
	d.defers = defers
	d.phase = allRows
	if defers {
		d.phase = planning
	}
	d.pending = mixture{}
	d.clear()
}

// clear drops what waits.
func (d *deferral) clear() {
	clear(d.steps)
	d.steps = d.steps[:0]
}

// next returns the action for a step in this phase.
func (d *deferral) next(x *step) action {
	switch d.phase {
	case planning:
		if x.rows != nil && !x.stays() || x.rows == nil && x.from() == waits {
			return wait
		}
	case observing:
		if x.rows != nil {
			return observe
		}
	case completing:
		if x.from() == again || x.hasRows() {
			return renew
		}
		return keep
	}
	return evaluate
}

// state says how far a value is.
type state uint8

const (
	made  state = iota
	again       // made anew: it differs from what observed links alone give
	waits       // to be made
)

// worst returns the state of values that are made of some others.
func worst[T interface{ at() state }](x []T) (s state) {
	for _, y := range x {
		s = max(s, y.at())
	}
	return s
}

func (s *state) at() state { return *s }

// step makes a set, candidates, branches or the rows of one call of Make; or it writes the degrees of
// a set to dst.
type step struct {
	set      *Set
	top      *Candidates
	branches *Branches
	rows     []*RowSet
	dst      []float32
}

// stays reports whether rows must not wait: they are negated, and some value without a row is as good as the best
// one. Otherwise degrees would be far from what they are without them.
func (x *step) stays() bool {
	return slices.ContainsFunc(x.rows, func(r *RowSet) bool { return r.negated && !r.top.asGood() })
}

// hasRows reports whether some candidate of rows has a row.
func (x *step) hasRows() bool {
	return slices.ContainsFunc(x.rows, func(r *RowSet) bool { return len(r.top.withRows) > 0 })
}

// asGood reports whether the best candidate without a row has the degree of the best one.
func (c *Candidates) asGood() bool {
	n := len(c.withRows)
	return c.state == made && n > 0 && n < len(c.ids) && c.degree(int32(n)) >= c.degree(0)
}

// deferRows defers the rows of candidates in a request that may wait.
func (m *Machine) deferRows(r *request) {
	var rows []*RowSet
	stay := r.candidates[:0]
	for i, b := range r.candidates {
		if m.next(&step{rows: r.candidates[i : i+1]}) != wait {
			stay = append(stay, b)
			continue
		}
		if rows == nil {
			rows = m.RowSets(len(r.candidates))[:0]
		}
		rows = append(rows, b)
	}
	r.candidates = stay
	if len(rows) > 0 {
		m.do(step{rows: rows})
	}
}

// do does a step.
func (m *Machine) do(x step) {
	switch m.next(&x) {
	case wait:
		m.steps = append(m.steps, x)
		x.mark(waits)
	case observe:
		m.observeAlone(x.rows)
		x.mark(made)
	case evaluate:
		m.evaluate(x, false)
		x.mark(made)
	case renew:
		m.evaluate(x, true)
		x.mark(again)
	case keep:
		x.mark(made)
	}
}

// doAll does what waits in a phase.
func (m *Machine) doAll(p phase) {
	before := m.phase
	m.phase = p
	for _, x := range m.steps {
		m.do(x)
	}
	m.phase = before
}

// mark sets the state of the results of a step.
func (x *step) mark(s state) {
	switch {
	case x.dst != nil:
	case x.set != nil:
		x.set.state = s
	case x.top != nil:
		x.top.state = s
	case x.branches != nil:
		x.branches.state = s
	}
	for _, r := range x.rows {
		r.state = s
	}
}

// from returns the state of a step's operands.
func (x *step) from() state {
	switch {
	case x.dst != nil:
		return x.set.state
	case x.set != nil:
		o := &x.set.made
		s := max(worst(o.with), worst(o.rows))
		if o.of != nil {
			s = max(s, o.of.state)
		}
		if o.branches != nil {
			s = max(s, o.branches.state)
		}
		return s
	case x.top != nil:
		return max(x.top.of.state, worst(x.top.times))
	case x.branches != nil:
		if b := x.branches; worst(b.rows) < waits { // rows of observed links tell what leads on
			return max(b.of.state, b.top.state, b.from.state)
		}
		return waits
	}
	s := made
	for _, r := range x.rows {
		s = max(s, r.top.state)
	}
	return s
}

// evaluate evaluates a step whose operands are made; partly keeps values that observed links alone determine.
func (m *Machine) evaluate(x step, partly bool) {
	m.forgetExact()
	switch {
	case x.dst != nil:
		x.set.single().dense(x.dst)
	case x.top != nil:
		m.candidates(x.top)
	case x.branches != nil:
		m.split(x.branches)
	case x.set == nil:
		own := m.request.candidates
		m.request.candidates = x.rows
		m.makeAll(partly)
		m.request.candidates = own
	default:
		switch x.set.made.op {
		case push:
			m.push(x.set, partly)
		case times:
			m.multiply(x.set, partly)
		case either:
			m.unite(x.set)
		case each:
			m.rowsOfValues(x.set, partly)
		case follow:
			m.ofParents(x.set, partly)
		case join:
			m.overBranches(x.set)
		}
	}
}

// observeAlone makes rows of observed links alone. A candidate whose row is negated counts as nothing.
func (m *Machine) observeAlone(rows []*RowSet) {
	for _, b := range rows {
		m.observed(b)
		for _, i := range b.top.withRows {
			if b.negated {
				b.each[i] = none
			}
		}
	}
}

// now evaluates everything that waits.
func (m *Machine) now() {
	m.doAll(allRows)
	m.clear()
}

// complete evaluates what waits again, with the rows of candidates that are not outdone.
func (m *Machine) complete(c contest) {
	before := m.phase
	m.phase = completing
	for _, x := range m.steps {
		if x.rows != nil {
			c.drop(x.rows)
		}
		m.do(x)
	}
	m.phase = before
	m.clear()
}

// Finish makes what waits. If k is not 0 and the answer waits, only its k best entities then have
// their exact degrees; the others have at most theirs.
func (m *Machine) Finish(k int) {
	if k > 0 && m.leaves() {
		m.doAll(observing)
		best := m.bestExactly(nil, m.answer.single(), k, k, m.answer)
		if len(best) == k {
			m.complete(m.contestOf(nil, best[k-1].Score*(1-1e-6)))
			return
		}
	}
	m.now()
}

// leaves reports whether the answer waits, and nothing else is wanted: then it may be left to the best.
func (m *Machine) leaves() bool {
	return m.answer != nil && m.answer.state == waits &&
		!(m.want.Sets && slices.ContainsFunc(m.steps, func(x step) bool { return x.dst != nil && x.set != m.answer }))
}

// Least makes the degrees of the pending mixture those that observed links alone give, where rows of
// candidates wait.
func (m *Machine) Least() {
	if m.leaves() {
		m.doAll(observing)
	} else {
		m.now()
	}
}

// unions returns the number of terms of deferred disjunctions.
func (m *Machine) unions() (terms int) {
	for _, x := range m.steps {
		if x.set != nil && x.dst == nil && x.set.made.op == either {
			terms += len(x.set.made.with)
		}
	}
	return terms
}

// Complete makes the rows that Least left out, except those that give no entity the degree it needs for
// the given score; most bounds the probabilities. Then degrees of entities that reach the score are
// exact, and others are at most theirs.
func (m *Machine) Complete(most []float32, score float32) {
	if len(m.steps) > 0 {
		m.complete(m.contestOf(most, score))
	}
}

// eachBranch evaluates a set of some number of branches; partly keeps those that are as observed links alone
// gave them.
func (m *Machine) eachBranch(s *Set, branches int, partly bool, evaluate func(b int) *fuzzy) {
	before := s.each
	if !partly || len(before) != branches {
		before = nil
		s.each = m.arena.each.take(branches)
	}
	goes := m.goesOn()
	for b := range s.each {
		if before != nil && !s.made.changes(b) {
			continue
		}
		s.each[b] = none
		if goes {
			s.each[b] = evaluate(b)
			goes = b%someBranches > 0 && s.each[b].full == nil || m.goesOn()
		}
	}
}

// someBranches are evaluated before the machine asks whether to go on, unless one takes much memory.
const someBranches = 16

// changes reports whether branch b of a set differs from what observed links alone gave, or may do so.
func (s *Set) changes(b int) bool {
	return s.state == again && (len(s.each) == 1 || s.made.changes(b))
}

// changes reports whether branch b of a set made by o may differ from its value along observed links:
// in a branch, only values with rows bring changes.
func (o *origin) changes(b int) bool {
	if o.branches != nil && o.branches.state == again {
		return true
	}
	switch o.op {
	case each:
		return slices.ContainsFunc(o.rows, func(r *RowSet) bool {
			_, has := slices.BinarySearch(r.top.withRows, o.branches.values[b])
			return has && r.state == again
		})
	case follow:
		return o.of.changes(int(o.branches.parents[b]))
	case times:
		return slices.ContainsFunc(o.with, func(x *Set) bool { return x.changes(b) })
	}
	return true
}
