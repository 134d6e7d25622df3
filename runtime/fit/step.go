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
	// Floats asks for rows made of float rows of the entity table, in place of its codes.
	Floats bool
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

// step makes a set, candidates, branches or the rows of one call of Make; or it writes the degrees of
// a set to dst.
type step struct {
	set      *Set
	top      *Candidates
	branches *Branches
	rows     []*AtomRows
	dst      []float32
}

// stays reports whether rows must not wait: they are negated, and some value without a row is as good as the best
// one. Otherwise degrees would be far from what they are without them.
func (x *step) stays() bool {
	return slices.ContainsFunc(x.rows, func(r *AtomRows) bool { return r.negated && !r.top.asGood() })
}

// hasRows reports whether some candidate of rows has a row.
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

// waits reports whether rows wait that are such.
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
