package fit

import (
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// sharpener computes the exact degrees that a run needs from coarse rows.
type sharpener struct {
	work
	codes  bool    // rows may be coarse
	off    float32 // bounds the relative error of degrees
	exacts map[exactPlace]float32
}

// exactPlace identifies a cached exact degree, valid until the next step is evaluated.
type exactPlace struct {
	set    *Set
	branch int
	entity int32
}

// start begins a run; codes says that rows may be coarse.
func (m *sharpener) start(codes bool) {
	m.codes = codes
	m.off = 0
	m.forgetExact()
}

// detail returns the precision at which to make the rows of an atom.
func (m *sharpener) detail(negated bool) atoms.Detail {
	switch {
	case !m.codes:
		return atoms.ExactRow
	case negated: // 1 − P may be as small as the error of P
		return atoms.CoarseNegated
	}
	return atoms.CoarseRow
}

// entry returns the exact degree of an entity in a row. An observed link has degree 1 in any.
func (m *sharpener) entry(x *fuzzy.Set, e int32) float32 {
	if x.Of != nil {
		return fuzzy.Negate(m.entry(x.Of, e), float32(m.settings.Negation))
	}
	d := x.At(e)
	if x.Exact == nil || d == 0 || d == 1 {
		return d
	}
	return x.Exact.Degree(e)
}

// slacken widens the error bound of the run by that of rows of an atom, which may come from codes.
func (m *sharpener) slacken(negated bool, rows ...*fuzzy.Set) {
	off := 0.0
	for _, x := range rows {
		if x.Exact != nil {
			off = max(off, x.Exact.Off())
		}
	}
	if negated && off > 0 {
		large := atoms.LargeDegree * m.settings.Negation
		small := m.settings.Threshold * m.settings.Negation * math.Exp(off) // may be none
		off = math.Log1p(max(large*math.Expm1(off), small) / (1 - large))
	}
	m.off = float32(math.Exp(off))*(1+m.off) - 1
}

// Slack returns a factor that bounds the error of degrees, 1 if they are exact.
func (m *sharpener) Slack() float32 { return 1 + m.off }

// exactly returns the exact degree of an entity in branch b of a set. It computes only the degrees whose coarse
// values come near the largest.
func (m *sharpener) exactly(s *Set, b int, e int32) float32 {
	coarse := s.branch(b).At(e)
	if m.off == 0 || coarse == 0 {
		return coarse
	}
	switch o := &s.made; o.op {
	case row:
		return m.entry(s.single(), e)
	case times, either:
		d := m.exactly(o.with[0], b, e)
		for _, x := range o.with[1:] {
			if y := m.exactly(x, b, e); o.op == times {
				d = m.arena.Norm.Both(d, y)
			} else {
				d = m.arena.Norm.Either(d, y)
			}
		}
		return d
	case push:
		d := m.exactPush(o, b, e)
		for _, x := range o.with {
			d = m.arena.Norm.Both(d, m.exactly(x, b, e))
		}
		return d
	case each:
		d := float32(1)
		for _, r := range o.rows {
			d = m.arena.Norm.Both(d, m.entry(r.each[o.branches.values[b]], e))
		}
		return d
	case follow:
		return m.exactly(o.of, int(o.branches.parents[b]), e)
	case join:
		return m.exactJoin(o, e)
	case peak:
		return m.exactTop(o.of, b, -1)
	case other:
		return m.exactTop(o.of, b, e)
	case diagonal:
		if i := slices.Index(o.rows[0].top.ids, e); i >= 0 {
			return m.entry(o.rows[0].each[i], e)
		}
	}
	return coarse
}

// near reports whether a coarse degree may be above an exact one.
func (m *sharpener) near(coarse, exact float32) bool { return coarse > 0 && coarse*m.Slack() > exact }

// exactPush returns the degree of an entity in a push.
func (m *sharpener) exactPush(o *origin, b int, e int32) (best float32) {
	u := o.of.branch(b)
	top := o.rows[0].top
	for i, c := range top.ids {
		d := u.At(c)
		if o.of == top.of && len(top.times) == 0 && !m.near(d*m.Slack(), best) { // nor are later ones, or others
			return best
		}
		for _, r := range o.rows {
			d = m.arena.Norm.Both(d, r.each[i].At(e))
		}
		if !m.near(d, best) {
			continue
		}
		if o.of == top.of && i < len(top.exact) {
			d = top.exact[i]
		} else {
			d = m.exactValue(o.of, b, c)
		}
		for _, r := range o.rows {
			d = m.arena.Norm.Both(d, m.entry(r.each[i], e))
		}
		best = max(best, d)
	}
	near := func(d float32) bool { return m.near(d, best) }
	m.eachObserved(o, u, e, near, func(c int32, _ float32) {
		if m.atMost(o.of, b, c) > best {
			best = max(best, m.exactValue(o.of, b, c))
		}
	})
	return best
}

// exactValue is exactly for a value of a variable, which leads to many entities.
func (m *sharpener) exactValue(s *Set, b int, e int32) float32 {
	place := exactPlace{s, b, e}
	d, has := m.exacts[place]
	if !has {
		d = m.exactly(s, b, e)
		m.exacts[place] = d
	}
	return d
}

// forgetExact forgets the degrees of values. Clearing an empty map takes as long as when it was full.
func (m *sharpener) forgetExact() {
	if len(m.exacts) > 0 {
		clear(m.exacts)
	}
}

// exactJoin returns the largest degree of an entity in any branch, times the weight of the branch.
func (m *sharpener) exactJoin(o *origin, e int32) (best float32) {
	for b, w := range o.branches.weights {
		if m.near(w, best) && m.near(m.arena.Norm.Both(o.of.branch(b).At(e), w), best) {
			best = max(best, m.arena.Norm.Both(m.exactly(o.of, b, e), m.exactWeight(o.branches, b)))
		}
	}
	return best
}

// exactWeight returns the exact weight of a branch.
func (m *sharpener) exactWeight(x *Branches, b int) float32 {
	if x.from == nil {
		return x.weights[b]
	}
	parent := int(x.parents[b])
	return m.arena.Norm.Both(m.exactWeight(x.from, parent), m.exactly(x.of, parent, x.top.ids[x.values[b]]))
}

// exactTop returns the largest degree in a set of any entity except but.
func (m *sharpener) exactTop(s *Set, b int, but int32) (best float32) {
	x := s.branch(b)
	for e := range int32(m.arena.N) {
		if e != but && m.near(x.At(e), best) {
			best = max(best, m.exactly(s, b, e))
		}
	}
	return best
}

// atMost bounds the exact degree of an entity in branch b of a set.
func (m *sharpener) atMost(s *Set, b int, e int32) float32 {
	switch o := &s.made; o.op {
	case row:
		return m.entryAtMost(s.single(), e)
	case times, push:
		d := float32(1)
		for _, x := range o.with {
			d = m.arena.Norm.Both(d, m.atMost(x, b, e))
		}
		return min(d, s.branch(b).At(e)*m.Slack())
	}
	return s.branch(b).At(e) * m.Slack()
}

// entryAtMost bounds the exact degree of an entity in a row.
func (m *sharpener) entryAtMost(x *fuzzy.Set, e int32) float32 {
	d := x.At(e)
	switch {
	case x.Of != nil && x.Of.Exact != nil:
		least := x.Of.At(e) * float32(math.Exp(-x.Of.Exact.Off()))
		if float64(least) < m.settings.Threshold {
			return 1
		}
		return fuzzy.Negate(least, float32(m.settings.Negation))
	case x.Exact == nil, d == 0, d == 1:
		return d
	}
	return min(atoms.Limit, d*float32(math.Exp(x.Exact.Off())))
}

// eachObserved visits the values without a row that have observed links to e, if their degrees are wanted.
func (m *sharpener) eachObserved(o *origin, u *fuzzy.Set, e int32, wanted func(d float32) bool, visit func(c int32, d float32)) {
	along := slices.IndexFunc(o.rows, func(r *AtomRows) bool { return !r.negated })
	values := o.rows[0].top.ids
	if m.exact() || along < 0 || len(values) == 0 {
		return
	}
	leads := func(c int32) bool {
		for j, r := range o.rows {
			if j != along && r.linkedBack(m.model.Graph, m.part, c, e) == r.negated {
				return false
			}
		}
		return true
	}
	for _, c := range m.model.Graph.Tails(graph.EntityID(e), o.rows[along].relation.Inverse()) {
		if d := u.At(c); wanted(d) && u.Own(c) && !slices.Contains(values, m.part.Global(c)) && leads(c) {
			visit(c, d)
		}
	}
}

// setEach sets dst to the degrees of an entity in some sets.
func (m *sharpener) setEach(dst []float32, x []*fuzzy.Set, e int32) {
	m.degrees(dst, []int32{e}, x)
	if m.off > 0 {
		for i, u := range x {
			dst[i] = m.entry(u, e)
		}
	}
}

// at returns the degree of an entity in a set.
func (m *sharpener) at(x *fuzzy.Set, e int32) float32 {
	return m.each([]*fuzzy.Set{x}, e)[0]
}

// each returns the degrees of an entity in some sets, until the next run starts.
func (m *sharpener) each(x []*fuzzy.Set, e int32) []float32 {
	list := m.arena.Floats.Take(len(x))
	m.setEach(list, x, e)
	return list
}
