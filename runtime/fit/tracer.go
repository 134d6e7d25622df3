package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// tracer finds the argument of each maximum behind an answer: the origin of each set records the operands.
type tracer struct {
	*sharpener
	named   bool      // find all values
	values  []int32   // of the variables
	degrees []float32 // of the atoms
	guessed []int
	sets    []*fuzzy.Set // buffer of winner
}

// trace traces the degree of entity e in branch b of a set back to the rows.
func (t *tracer) trace(s *Set, b int, e int32) error {
	o := &s.made
	for _, x := range o.with {
		if err := t.trace(x, b, e); err != nil {
			return err
		}
	}
	switch o.op {
	case row:
		t.degrees[o.index] = t.at(s.single(), e)
	case peak:
		best := int32(t.bestOf(o.of.branch(b), 1)[0].Entity)
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
		t.note(o.rows[0], t.at(s.single(), e))
	case push:
		return t.pushed(o, b, e)
	case leaf:
		if t.exact() {
			return t.pushed(o, b, e)
		}
		return t.fromLeaf(o, b, e)
	case each:
		for _, r := range o.rows {
			t.note(r, t.at(r.each[o.branches.values[b]], e))
		}
	case follow:
		return t.trace(o.of, int(o.branches.parents[b]), e)
	case join:
		best := t.winner(o, e)
		if err := t.trace(o.of, best, e); err != nil {
			return err
		}
		return t.branch(o.branches, best)
	}
	return nil
}

// note records the degree of a row's atom; an inequality has none.
func (t *tracer) note(r *AtomRows, degree float32) {
	if !r.unequal {
		t.degrees[r.atom] = degree
	}
}

// winner returns the branch in which e has its largest degree.
func (t *tracer) winner(o *origin, e int32) int {
	winner := 0
	best := float32(0)
	t.sets = t.sets[:0]
	for b := range o.branches.weights {
		t.sets = append(t.sets, o.of.branch(b))
	}
	for b, d := range t.each(t.sets, e) {
		d = t.arena.Norm.Both(d, o.branches.weights[b])
		if d > best {
			winner = b
			best = d
		}
	}
	return winner
}

// branch follows the values of a branch.
func (t *tracer) branch(x *Branches, b int) error {
	if x.from == nil {
		return nil
	}
	value := x.top.ids[x.values[b]]
	parent := int(x.parents[b])
	t.values[x.index] = value
	if err := t.trace(x.of, parent, value); err != nil {
		return err
	}
	return t.branch(x.from, parent)
}

// tracedAtOnce is the number of candidates that are looked up together.
const tracedAtOnce = 16

// pushed traces a push back to the value that attained the maximum.
func (t *tracer) pushed(o *origin, b int, e int32) error {
	u := o.of.branch(b)
	ids := o.rows[0].top.ids
	products := t.arena.Floats.Take(len(ids))
	t.parts.degrees(products, ids, []*fuzzy.Set{u})
	winner := -1
	best := float32(0)
	for from := 0; from < len(ids); from += tracedAtOnce {
		to := min(from+tracedAtOnce, len(ids))
		if slices.Max(products[from:to]) <= best { // links only lower them
			continue
		}
		for _, r := range o.rows {
			for i, d := range t.each(r.each[from:to], e) {
				products[from+i] = t.arena.Norm.Both(products[from+i], d)
			}
		}
		for i, d := range products[from:to] {
			if d > best {
				winner = from + i
				best = d
			}
		}
	}
	value := int32(-1)
	if winner >= 0 {
		value = ids[winner]
		for _, r := range o.rows {
			t.note(r, t.at(r.each[winner], e))
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

// observedBest returns a value without a row whose observed links give e a degree above best; -1 if there is none.
func (t *tracer) observedBest(o *origin, u *fuzzy.Set, e int32, best float32) int32 {
	found := top.Ranked{Entity: -1, Score: best}
	better := func(d float32) bool { return d > found.Score }
	t.eachObserved(o, u, e, better, func(c int32, d float32) { found = top.Ranked{Entity: graph.EntityID(c), Score: d} })
	return t.bestRow(found)
}

// fromLeaf finds a value for a leaf: one with an observed link, otherwise the link predictor's best.
func (t *tracer) fromLeaf(o *origin, b int, e int32) error {
	u := o.of.branch(b)
	apart := apart(o.rows)
	most := t.at(t.rested(u, o.rows), e)
	found := top.Ranked{Entity: -1, Score: -1}
	if best := t.bestBut(u, e, apart); best >= 0 {
		t.values[o.index] = best
	}
	for _, r := range o.rows {
		if r.negated {
			continue
		}
		for _, c := range t.model.Graph.Tails(graph.EntityID(e), r.relation.Inverse()) {
			d := u.At(c)
			for _, r := range o.rows {
				d = t.arena.Norm.Both(d, t.leafLink(r, r.linkedBack(t.model.Graph, t.part, c, e)))
			}
			if d > max(most, found.Score) || d == most && d > 0 && found.Entity < 0 {
				found = top.Ranked{Entity: graph.EntityID(c), Score: d}
			}
		}
	}
	value := t.bestRow(found)
	observed := value >= 0
	if observed {
		t.values[o.index] = value
	}
	i := slices.IndexFunc(o.rows, func(r *AtomRows) bool { return !r.negated })
	if t.named && !observed && i >= 0 && t.listsNothing(u) {
		if err := t.predicted(o, atoms.Key{H: e, R: o.rows[i].relation.Inverse()}, apart); err != nil {
			return err
		}
	}
	for _, r := range o.rows {
		switch {
		case observed:
			t.note(r, t.leafLink(r, t.linkedTo(r, value, e)))
		case r.negated:
			t.note(r, 1)
		default:
			t.note(r, float32(t.settings.Leaf))
			t.guessed = append(t.guessed, r.atom)
		}
	}
	return t.trace(o.of, b, t.values[o.index])
}

// predicted takes the value to which row back gives the largest degree, excluding the row's own entity
// if apart is set.
func (t *tracer) predicted(o *origin, back atoms.Key, apart bool) error {
	row, err := t.request.One(back)
	if err != nil {
		return err
	}
	if best := t.bestBut(row, back.H, apart); best >= 0 {
		t.values[o.index] = best
	}
	return nil
}

// linkedTo reports whether the link of a row is observed from entity c to entity e.
func (t *tracer) linkedTo(r *AtomRows, c, e int32) bool {
	has := t.arena.Floats.Take(1)
	has[0] = 0
	if row, mine := t.part.Local(c); mine && r.linkedBack(t.model.Graph, t.part, row, e) {
		has[0] = 1
	}
	t.part.Max(has)
	return has[0] > 0
}
