package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/rank"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Trace explains the degree of an answer.
type Trace struct {
	// Disjunct is the one that gives the answer its largest degree, from 0.
	Disjunct int
	// Degree is the degree of the answer by this disjunct.
	Degree float32
	// Values are the entities of the disjunct's variables; Degrees are the degrees to which its
	// atoms, negated or not, counted as true. Both are nil if Degree is 0.
	Values  []int32
	Degrees []float32

	guessed []int // the atoms with the degree of a leaf, which any value may have
}

// tracer finds the argument of each maximum on the way to an answer: the maxima
// themselves remember what they were taken of.
type tracer struct {
	*Machine
	named   bool      // says that all values are wanted
	values  []int32   // of the variables
	degrees []float32 // of the atoms
	guessed []int
}

// Trace follows the degree of entity e in the answer of the last run back to the values of the
// variables; graphs are the disjuncts' graphs.
func (m *Machine) Trace(e int32, graphs []scq.Disjunct) (Trace, error) {
	return m.follow(e, graphs, true)
}

// follow is Trace. Without named, a leaf that only the link predictor gives a value may have none,
// which saves a pass over the table.
func (m *Machine) follow(e int32, graphs []scq.Disjunct, named bool) (Trace, error) {
	s := m.answer
	x := Trace{}
	if s.made.op == either {
		best := s
		parts := make([]*fuzzy, len(s.made.with))
		for i, part := range s.made.with {
			parts[i] = part.single()
		}
		for i, d := range m.each(parts, e) {
			if d > x.Degree {
				x.Degree, x.Disjunct, best = d, i, s.made.with[i]
			}
		}
		s = best
	} else {
		x.Degree = m.at(s.single(), e)
	}
	if x.Degree == 0 {
		return x, nil
	}
	g := &graphs[x.Disjunct]
	t := &tracer{Machine: m, named: named, values: make([]int32, len(g.Variables)), degrees: make([]float32, len(g.Atoms))}
	t.values[0] = e
	err := t.trace(s, 0, e)
	x.Values, x.Degrees, x.guessed = t.values, t.degrees, t.guessed
	return x, err
}

// Weakest is the weakest predicted link of an answer's best witness.
type Weakest struct {
	// Degree is the degree of the answer, which may come from several disjuncts.
	Degree float32
	// Disjunct and Atom identify the atom; Atom is -1 if there is no witness or it predicts no link.
	Disjunct, Atom int
	// Head and Tail are the entities of the atom's terms that are variables. They are -1 for a
	// constant, and for a variable that no entity informs.
	Head, Tail int32
}

// Weakest finds the weakest predicted link of entity e in the answer of the last run. Observed
// links have degree 1, others less.
func (m *Machine) Weakest(e int32, graphs []scq.Disjunct) (Weakest, error) {
	x, err := m.follow(e, graphs, false)
	w := Weakest{Disjunct: x.Disjunct, Atom: -1, Head: -1, Tail: -1}
	if x.Degree == 0 || err != nil {
		return w, err
	}
	w.Degree = m.at(m.answer.single(), e)
	if m.off > 0 { // which no degree of a split model is
		w.Degree = m.Exactly(e)
	}
	least := float32(1)
	for i, d := range x.Degrees {
		if d < least && !graphs[x.Disjunct].Atoms[i].Negated {
			least = d
			w.Atom = i
		}
	}
	if w.Atom >= 0 {
		a := &graphs[x.Disjunct].Atoms[w.Atom]
		guessed := slices.Contains(x.guessed, w.Atom)
		w.Head, w.Tail = x.entity(a.Head, guessed), x.entity(a.Tail, guessed)
	}
	return w, nil
}

// entity returns the entity of a term, -1 for a constant and, if the value of an existential variable
// was guessed, for that.
func (x *Trace) entity(t scq.Term, guessed bool) int32 {
	if t.Constant || guessed && t.Index != 0 {
		return -1
	}
	return x.Values[t.Index]
}

// Degrees writes the truth degrees of the answer to dst, which it returns.
func (m *Machine) Degrees(dst []float32) []float32 {
	m.answer.single().dense(dst)
	return dst
}

// trace follows the degree of entity e in branch b of a set back to the rows.
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

// note keeps the degree of a row's atom; an inequality has none.
func (t *tracer) note(r *RowSet, degree float32) {
	if !r.unequal {
		t.degrees[r.atom] = degree
	}
}

// winner returns the branch in which e has its largest degree.
func (t *tracer) winner(o *origin, e int32) int {
	winner := 0
	best := float32(0)
	sets := make([]*fuzzy, len(o.branches.weights))
	for b := range sets {
		sets[b] = o.of.branch(b)
	}
	for b, d := range t.each(sets, e) {
		d = t.norm.Both(d, o.branches.weights[b])
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

// pushed follows a push to the value that won it.
func (t *tracer) pushed(o *origin, b int, e int32) error {
	u := o.of.branch(b)
	top := o.rows[0].top
	products := make([]float32, len(top.ids))
	links := make([][]float32, len(o.rows))
	t.Machine.degrees(products, top.ids, []*fuzzy{u})
	for j, r := range o.rows {
		links[j] = t.each(r.each, e)
		for i, d := range links[j] {
			products[i] = t.norm.Both(products[i], d)
		}
	}
	winner := -1
	best := float32(0)
	for i, d := range products {
		if d > best {
			winner = i
			best = d
		}
	}
	value := int32(-1)
	if winner >= 0 {
		value = top.ids[winner]
		for j, r := range o.rows {
			t.note(r, links[j][winner])
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
	found := rank.Ranked{Entity: -1, Score: best}
	better := func(d float32) bool { return d > found.Score }
	t.eachObserved(o, u, e, better, func(c int32, d float32) { found = rank.Ranked{Entity: model.EntityID(c), Score: d} })
	return t.bestRow(found)
}

// eachObserved visits the values without a row that lead to e along observed links, if their degrees are
// wanted.
func (m *Machine) eachObserved(o *origin, u *fuzzy, e int32, wanted func(d float32) bool, visit func(c int32, d float32)) {
	along := slices.IndexFunc(o.rows, func(r *RowSet) bool { return !r.negated })
	values := o.rows[0].top.ids
	if m.exact() || along < 0 || len(values) == 0 {
		return
	}
	leads := func(c int32) bool {
		for j, r := range o.rows {
			if j != along && m.linkedBack(r, c, e) == r.negated {
				return false
			}
		}
		return true
	}
	for _, c := range m.model.Graph.Tails(model.EntityID(e), o.rows[along].relation.Inverse()) {
		if d := u.at(c); wanted(d) && u.own(c) && !slices.Contains(values, m.run.Part.Global(c)) && leads(c) {
			visit(c, d)
		}
	}
}

// fromLeaf finds a value that a leaf may have meant: one with an observed link, or
// else the one that the link predictor finds best.
func (t *tracer) fromLeaf(o *origin, b int, e int32) error {
	u := o.of.branch(b)
	apart := apart(o.rows)
	top := t.at(t.rested(u, o.rows), e)
	found := rank.Ranked{Entity: -1, Score: -1}
	if best := t.bestBut(u, e, apart); best >= 0 {
		t.values[o.index] = best
	}
	for _, r := range o.rows {
		if r.negated {
			continue
		}
		for _, c := range t.model.Graph.Tails(model.EntityID(e), r.relation.Inverse()) {
			d := u.at(c)
			for _, r := range o.rows {
				d = t.norm.Both(d, t.leafLink(r, t.linkedBack(r, c, e)))
			}
			if d > max(top, found.Score) || d == top && d > 0 && found.Entity < 0 {
				found = rank.Ranked{Entity: model.EntityID(c), Score: d}
			}
		}
	}
	value := t.bestRow(found)
	observed := value >= 0
	if observed {
		t.values[o.index] = value
	}
	i := slices.IndexFunc(o.rows, func(r *RowSet) bool { return !r.negated })
	if t.named && !observed && i >= 0 && t.listsNothing(u) {
		if err := t.predicted(o, key{h: e, r: o.rows[i].relation.Inverse()}, apart); err != nil {
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
func (t *tracer) predicted(o *origin, back key, apart bool) error {
	r := &t.request
	r.keys, r.ctx = append(r.keys[:0], back), t.run.Context()
	if err := t.rows.fetch([]*request{r}); err != nil {
		return err
	}
	if best := t.bestBut(r.made[0], back.h, apart); best >= 0 {
		t.values[o.index] = best
	}
	return nil
}
