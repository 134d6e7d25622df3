package fit

import "slices"

// The k best answers need few rows of candidates: a candidate gives an entity without an observed link from it at
// most limit times its own degree. So Make defers rows of candidates, and everything that depends on them. When the
// plan has ended and k is known, the deferred steps are evaluated twice:
//
//	along observed links alone        the k-th best degree is at least some τ
//	T(limit, degree of a candidate)   below τ: its rows would change none of the k best
//	again                             with the rows of the others
//
// Under a negated atom, a candidate whose row is deferred counts as nothing at first: without the row, 1 − P has no
// better lower bound than 0. Such a candidate gives an entity at most its own degree. Values without rows give their
// own degree to every entity that they have no observed link to.
//
// contest.go bounds what a candidate gives more closely.
//
// This also holds along chains of pushes: a degree that comes from a candidate never exceeds the candidate's. The K
// best of a variable may differ, but only among those below τ. The k best answers, ties included, have the same
// degrees as with all rows. A mixture has its own k best: Least evaluates the first line, Complete the others.

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
// A run without deferral starts in allRows. With deferral, rows may come from codes alone in every phase, see
// ReadsCodes.

// phase is the progress of a run.
type phase uint8

const (
	planning   phase = iota // the plan calls ops
	observing               // Least, and Finish for some answers
	completing              // Complete, and Finish after observing
	allRows                 // Finish for all answers, and ops that need complete operands
)

// action says what to do with a step.
type action uint8

const (
	evaluate action = iota
	wait
	observe // make rows of observed links alone
	renew   // evaluate the changed values again
	keep    // keep the result of observed links
)

// Want says which degrees a run must compute. The zero Want means all.
type Want struct {
	// Best asks only for the best answers, as many as Finish or Complete says.
	Best bool
	// Sets also asks for the degrees of existential variables.
	Sets bool
	// Floats asks for rows made from float rows of the entity table instead of its codes.
	Floats bool
}

// deferral holds the deferred steps of a run.
type deferral struct {
	phase   phase
	want    Want
	defers  bool   // steps may be deferred
	steps   []step // deferred, in the order of the plan
	pending mixture
}

// start starts a run; defers says that steps may be deferred.
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

// clear drops the deferred steps.
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

// step makes a set, candidates, branches or the rows of one call of Make; or it writes the degrees of a set to dst.
type step struct {
	set      *Set
	top      *Candidates
	branches *Branches
	rows     []*AtomRows
	dst      []float32
}

// stays reports whether rows must not be deferred: they are negated, and some value without a row is as good as the
// best one. Without the rows, degrees would then be far off.
func (x *step) stays() bool {
	return slices.ContainsFunc(x.rows, func(r *AtomRows) bool { return r.negated && !r.top.asGood() })
}

// hasRows reports whether some candidate of the step's rows has a row.
func (x *step) hasRows() bool {
	return slices.ContainsFunc(x.rows, func(r *AtomRows) bool { return len(r.top.withRows) > 0 })
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
		if b := x.branches; worst(b.rows) < waits { // rows of observed links suffice
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

// waits reports whether some deferred rows satisfy such.
func (d *deferral) waits(such func(r *AtomRows) bool) bool {
	return slices.ContainsFunc(d.steps, func(x step) bool { return slices.ContainsFunc(x.rows, such) })
}

// unions returns the number of terms of deferred disjunctions.
func (d *deferral) unions() (terms int) {
	for _, x := range d.steps {
		if x.set != nil && x.dst == nil && x.set.made.op == either {
			terms += len(x.set.made.with)
		}
	}
	return terms
}
