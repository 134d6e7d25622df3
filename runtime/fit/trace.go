package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Trace is where the degree of an answer comes from.
type Trace struct {
	// SCQ is the disjunct that gives the answer its largest degree, from 0.
	SCQ int
	// Degree is that of the answer by this disjunct.
	Degree float32
	// Values are the entities of the disjunct's variables, Degrees those to which its
	// atoms, negated or not, counted as true. Both are nil where Degree is 0.
	Values  []int32
	Degrees []float32
}

// tracer finds the argument of each maximum on the way to an answer: the maxima
// themselves remember what they were taken of.
type tracer struct {
	*Machine
	values  []int32   // of the variables
	degrees []float32 // of the atoms
}

// Trace follows the degree of entity e in the answer of the last run back to the values of
// the variables; graphs are those of the disjuncts.
func (m *Machine) Trace(answer []float32, e int32, graphs []scq.Graph) (Trace, error) {
	s, x := m.written(answer), Trace{}
	if s.made.op == either {
		best := s
		for i, part := range s.made.with {
			if d := part.single().at(e); d > x.Degree {
				x.Degree, x.SCQ, best = d, i, part
			}
		}
		s = best
	} else {
		x.Degree = s.single().at(e)
	}
	if x.Degree == 0 {
		return x, nil
	}
	g := &graphs[x.SCQ]
	t := &tracer{Machine: m, values: make([]int32, len(g.Variables)), degrees: make([]float32, len(g.Atoms))}
	t.values[0] = e
	err := t.trace(s, 0, e)
	x.Values, x.Degrees = t.values, t.degrees
	return x, err
}

// trace follows the degree of entity e in branch b of a set back to the rows.
func (t *tracer) trace(s *Set, b int, e int32) error {
	switch o := &s.made; o.op {
	case row:
		t.degrees[o.index] = s.single().at(e)
	case peak:
		u := o.of.branch(b)
		best := t.heap.best(u, 1, t.n)[0].id
		t.values[o.index] = best
		return t.trace(o.of, b, best)
	case other:
		best := t.bestBut(o.of.branch(b), e, true)
		if best < 0 {
			return nil
		}
		t.values[o.index] = best
		return t.trace(o.of, b, best)
	case diagonal:
		t.note(o.rows[0], s.single().at(e))
	case push:
		return t.pushed(o, b, e)
	case leaf:
		if t.exact() {
			return t.pushed(o, b, e)
		}
		return t.fromLeaf(o, b, e)
	case each:
		for _, r := range o.rows {
			t.note(r, r.each[o.branches.values[b]].at(e))
		}
	case follow:
		return t.trace(o.of, int(o.branches.parents[b]), e)
	case join:
		best := t.winner(o, e)
		if err := t.trace(o.of, best, e); err != nil {
			return err
		}
		return t.branch(o.branches, best)
	case times:
		for _, x := range o.with {
			if err := t.trace(x, b, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// note keeps the degree of a row's atom; an inequality has none.
func (t *tracer) note(r *RowSet, degree float32) {
	if !r.unequal {
		t.degrees[r.atom] = degree
	}
}

// winner returns the branch in which e has its largest degree.
func (t *tracer) winner(o *origin, e int32) int {
	winner, best := 0, float32(0)
	for b, w := range o.branches.weights {
		if d := w * o.of.branch(b).at(e); d > best {
			winner, best = b, d
		}
	}
	return winner
}

// branch follows the values of a branch.
func (t *tracer) branch(x *Branches, b int) error {
	if x.from == nil {
		return nil
	}
	value, parent := x.top.ids[x.values[b]], int(x.parents[b])
	t.values[x.index] = value
	if err := t.trace(x.of, parent, value); err != nil {
		return err
	}
	return t.branch(x.from, parent)
}

// pushed follows a push to the value that won it.
func (t *tracer) pushed(o *origin, b int, e int32) error {
	u, top := o.of.branch(b), o.rows[0].top
	winner, best := -1, float32(0)
	for i, c := range top.ids {
		d := u.at(c)
		for _, r := range o.rows {
			d *= r.each[i].at(e)
		}
		if d > best {
			winner, best = i, d
		}
	}
	value := int32(-1)
	if winner >= 0 {
		value = top.ids[winner]
		for _, r := range o.rows {
			t.note(r, r.each[winner].at(e))
		}
	}
	if c := t.observedBest(o, u, e, best); c >= 0 {
		value = c
		for _, r := range o.rows {
			t.note(r, 1)
		}
	}
	if value < 0 {
		return nil
	}
	t.values[o.index] = value
	return t.trace(o.of, b, value)
}

// observedBest looks for a value without a row that leads to e along observed links
// to a degree above the best so far; -1 if there is none.
func (t *tracer) observedBest(o *origin, u *fuzzy, e int32, best float32) int32 {
	along := slices.IndexFunc(o.rows, func(r *RowSet) bool { return !r.negated })
	if t.exact() || along < 0 || len(o.rows[0].top.ids) == 0 {
		return -1
	}
	found := int32(-1)
	for _, c := range t.model.Graph.Tails(model.EntityID(e), o.rows[along].relation.Inverse()) {
		d := u.at(c)
		if d > best && u.own(c) && !slices.Contains(o.rows[0].top.ids, c) && t.leads(c, e, o.rows, along) {
			best, found = d, c
		}
	}
	return found
}

// fromLeaf finds a value that a leaf may have meant: one with an observed link, or
// else the one that the link predictor finds best.
func (t *tracer) fromLeaf(o *origin, b int, e int32) error {
	u, apart := o.of.branch(b), apart(o.rows)
	top, found := t.rested(u, o.rows).at(e), false
	if best := t.bestBut(u, e, apart); best >= 0 {
		t.values[o.index] = best
	}
	for _, r := range o.rows {
		if r.negated {
			continue
		}
		for _, c := range t.model.Graph.Tails(model.EntityID(e), r.relation.Inverse()) {
			if d := t.worth(u.at(c), c, e, o.rows); d > top || d == top && d > 0 && !found {
				top, found, t.values[o.index] = d, true, c
			}
		}
	}
	i := slices.IndexFunc(o.rows, func(r *RowSet) bool { return !r.negated })
	if !found && i >= 0 && u.size() == 0 {
		if err := t.predicted(o, key{e, o.rows[i].relation.Inverse()}, apart); err != nil {
			return err
		}
	}
	for _, r := range o.rows {
		switch {
		case found:
			t.note(r, t.linkDegree(t.values[o.index], e, r))
		case r.negated:
			t.note(r, 1)
		default:
			t.note(r, float32(t.settings.Leaf))
		}
	}
	return t.trace(o.of, b, t.values[o.index])
}

// predicted takes the value that a row finds best, another one than its own entity if
// apart is set.
func (t *tracer) predicted(o *origin, back key, apart bool) error {
	r := &t.request
	r.keys, r.ctx = append(r.keys[:0], back), t.run.Context()
	if err := t.rows.fetch(r.ctx, scaleOf(&t.settings), []run.Joint{r}); err != nil {
		return err
	}
	if best := t.bestBut(r.made[0], back.h, apart); best >= 0 {
		t.values[o.index] = best
	}
	return nil
}
