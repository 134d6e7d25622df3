package fit

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/rank"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
)

// coarse computes exact degrees of a row whose scores are products with codes alone. The best answers of a
// question depend on few degrees, which Machine.exactly computes from rows of the table. The exponentials
// that make up most of the row's sum are exact, so that the row is normalised as others are.
type coarse struct {
	query     []float32
	head      int32
	top, by   float64 // a degree is exp(score − top)·by
	threshold float64
	weights   weights
	off       float64 // the logarithm of how far degrees are off, about the most
}

const (
	// mostOff bounds how far the logarithm of a degree of a coarse row may be off.
	mostOff = 0.05
	// offDeviations is the bound on the error of a score, in standard deviations. The row of the table with
	// the largest error by codes decides on the standard deviation.
	offDeviations = 4
	// sumOff bounds the error of the sum of a coarse row, as a root mean square. It decides from which share
	// of the sum on exponentials are exact: the relative error of n equal ones is 1/√n of their own.
	sumOff = 2e-4
	// largeDegree is the degree from which degrees are exact where they are negated, and mostNegation the
	// largest factor ν for which that suffices.
	largeDegree  = 0.1
	mostNegation = 2
)

// coarseOff estimates the largest error of scores by codes.
func coarseOff(table *model.Table, query []float32) float64 {
	residual, _ := table.CodesOff()
	return offDeviations * float64(rows.Length(query)*residual) / math.Sqrt(float64(table.Width()))
}

// ReadsCodes reports whether rows may be coarse: only the best answers are wanted, and codes are read
// faster than their low bytes.
func (m *Machine) ReadsCodes() bool {
	codes := rows.Wide{Model: m.model}
	return m.defers && !m.settings.Mass && m.settings.Negation <= mostNegation && rows.Codes(codes).Off() && !codes.Multiplies()
}

// detail returns how exact the rows of an atom are.
func (m *Machine) detail(negated bool) detail {
	switch {
	case !m.ReadsCodes():
		return exactRow
	case negated: // 1 − P may be as small as the error of P
		return coarseNegated
	}
	return coarseRow
}

// sharpen makes the exponentials of row i of a pass exact that are large.
func (k *maker) sharpen(i int, room *workerRoom) {
	e := &k.reading.Exponentials[i]
	exps := k.score(i)
	table := &k.model.Predictor.EntityTable
	room.prepare(len(exps))
	share := math.Pow(sumOff*offDeviations/k.offs[i], 2)
	for _, t := range room.ids[:simd.IndexAbove(room.ids, exps, float32(share*e.Sum))] {
		var score [1]float32
		table.DotRows(score[:], int(t), int(t)+1, k.query(i))
		exact := float32(math.Exp(float64(score[0]) - float64(e.Top)))
		e.Sum += float64(exact) - float64(exps[t])
		exps[t] = exact
	}
}

// sharpenNegated makes the degrees of a row exact that are large, and those that may be below the threshold:
// then a negated link has degree 1 only if it has that exactly.
func (k *maker) sharpenNegated(c *coarse, degrees []float32, room *workerRoom) {
	above := float32(c.threshold * math.Exp(c.off))
	for _, e := range room.ids[:simd.IndexAbove(room.ids, degrees, math.SmallestNonzeroFloat32)] {
		if d := degrees[e]; d >= largeDegree || d <= above {
			degrees[e] = c.degree(&k.model.Predictor.EntityTable, e)
		}
	}
}

// coarseOf returns what makes row i of a pass exact, nil if it is exact.
func (k *maker) coarseOf(x key, i int) *coarse {
	if k.offs[i] == 0 {
		return nil
	}
	return &coarse{
		query: slices.Clone(k.query(i)), head: x.h, top: float64(k.reading.Exponentials[i].Top), by: k.norms[i].Sum,
		threshold: float64(k.scale.threshold), weights: k.weights[i], off: k.offs[i],
	}
}

// degree returns the exact degree of an entity.
func (c *coarse) degree(table *model.Table, e int32) float32 {
	var score [1]float32
	table.DotRows(score[:], int(e), int(e)+1, c.query)
	d := math.Exp(float64(score[0])-c.top) * c.by
	if c.weights.tailFactors != nil {
		d *= float64(c.weights.of(e))
	}
	if e == c.head {
		d *= float64(c.weights.loop)
	}
	if d < c.threshold {
		return 0
	}
	return float32(min(d, limit))
}

// entry returns the exact degree of an entity in a row. An observed link has degree 1 in any.
func (m *Machine) entry(x *fuzzy, e int32) float32 {
	if x.of != nil {
		return negate(m.entry(x.of, e), float32(m.settings.Negation))
	}
	d := x.at(e)
	if x.coarse == nil || d == 0 || d == 1 {
		return d
	}
	return x.coarse.degree(&m.model.Predictor.EntityTable, e)
}

// slacken notes that the run reads some rows of an atom, which may be coarse.
func (m *Machine) slacken(negated bool, rows ...*fuzzy) {
	off := 0.0
	for _, x := range rows {
		if x.coarse != nil {
			off = max(off, x.coarse.off)
		}
	}
	if negated && off > 0 {
		large := largeDegree * m.settings.Negation
		off = math.Log1p(large * math.Expm1(off) / (1 - large))
	}
	m.off = float32(math.Exp(off))*(1+m.off) - 1
}

// Slack returns a factor that bounds how far degrees are off, 1 if they are exact.
func (m *Machine) Slack() float32 { return 1 + m.off }

// exactPlace names a degree that is exact, until another step is evaluated.
type exactPlace struct {
	set    *Set
	branch int
	entity int32
}

// Exactly returns the exact degree of an entity in the answer.
func (m *Machine) Exactly(e int32) float32 { return m.exactly(m.answer, 0, e) }

// exactly returns the exact degree of an entity in branch b of a set. It looks at the degrees that come
// near the largest, by their coarse values.
func (m *Machine) exactly(s *Set, b int, e int32) float32 {
	coarse := s.branch(b).at(e)
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
				d = m.norm.Both(d, y)
			} else {
				d = m.norm.Either(d, y)
			}
		}
		return d
	case push:
		d := m.exactPush(o, b, e)
		for _, x := range o.with {
			d = m.norm.Both(d, m.exactly(x, b, e))
		}
		return d
	case each:
		d := float32(1)
		for _, r := range o.rows {
			d = m.norm.Both(d, m.entry(r.each[o.branches.values[b]], e))
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
func (m *Machine) near(coarse, exact float32) bool { return coarse > 0 && coarse*m.Slack() > exact }

// exactPush returns the degree of an entity in a push.
func (m *Machine) exactPush(o *origin, b int, e int32) (best float32) {
	u := o.of.branch(b)
	top := o.rows[0].top
	for i, c := range top.ids {
		d := u.at(c)
		if o.of == top.of && !m.near(d*m.Slack(), best) { // nor are those behind it
			break
		}
		for _, r := range o.rows {
			d = m.norm.Both(d, r.each[i].at(e))
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
			d = m.norm.Both(d, m.entry(r.each[i], e))
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
func (m *Machine) exactValue(s *Set, b int, e int32) float32 {
	place := exactPlace{s, b, e}
	d, has := m.exacts[place]
	if !has {
		d = m.exactly(s, b, e)
		m.exacts[place] = d
	}
	return d
}

// forgetExact forgets degrees of values. To clear a map that is empty takes as long as when it was full.
func (m *Machine) forgetExact() {
	if len(m.exacts) > 0 {
		clear(m.exacts)
	}
}

// exactJoin returns the largest degree of an entity in any branch, times the weight of the branch.
func (m *Machine) exactJoin(o *origin, e int32) (best float32) {
	for b, w := range o.branches.weights {
		if m.near(m.norm.Both(o.of.branch(b).at(e), w), best) {
			best = max(best, m.norm.Both(m.exactly(o.of, b, e), m.exactWeight(o.branches, b)))
		}
	}
	return best
}

// exactWeight returns the exact weight of a branch.
func (m *Machine) exactWeight(x *Branches, b int) float32 {
	if x.from == nil {
		return x.weights[b]
	}
	parent := int(x.parents[b])
	return m.norm.Both(m.exactWeight(x.from, parent), m.exactly(x.of, parent, x.top.ids[x.values[b]]))
}

// exactTop returns the largest degree in a set of any entity but one.
func (m *Machine) exactTop(s *Set, b int, but int32) (best float32) {
	x := s.branch(b)
	for e := range int32(m.n) {
		if e != but && m.near(x.at(e), best) {
			best = max(best, m.exactly(s, b, e))
		}
	}
	return best
}

// bestExactly returns the most entities of largest degree above 0 in x, the k best of them by their exact
// degrees in the product of sets, which x is. The exact degrees that it asks for are written to dst, unless
// that is nil.
func (m *Machine) bestExactly(dst []float32, x *fuzzy, k, most int, sets ...*Set) []rank.Ranked {
	if m.off == 0 {
		return m.bestOf(x, most)
	}
	for size := max(most, 4*k); ; size *= 2 {
		list := m.best(x, size, m.n)
		asked := m.askBest(dst, list, k, sets)
		if asked == size && size < m.n {
			continue
		}
		slices.SortFunc(list[:asked], rank.Compare)
		list = slices.DeleteFunc(list, func(r rank.Ranked) bool { return r.Score == 0 })
		return list[:min(most, len(list))]
	}
}

// askBest makes the degrees of the first entities of a list exact, until no other one may be among the k
// best, and returns how many it has looked at.
func (m *Machine) askBest(dst []float32, list []rank.Ranked, k int, sets []*Set) int {
	best := m.floats.take(k) // in ascending order
	clear(best)
	for i, x := range list {
		e := int32(x.Entity)
		if best[0] >= 1 || !m.near(x.Score, best[0]) { // degree 1 is exact
			return i
		}
		if x.Score < 1 && m.productOf(sets, m.atMost, e) >= best[0] {
			list[i].Score = m.productOf(sets, m.exactly, e)
			if dst != nil {
				dst[e] = list[i].Score
			}
		}
		if list[i].Score > best[0] {
			best[0] = list[i].Score
			slices.Sort(best)
		}
	}
	return len(list)
}

// productOf returns the product of an entity's degrees in sets.
func (m *Machine) productOf(sets []*Set, degree func(s *Set, b int, e int32) float32, e int32) float32 {
	d := degree(sets[0], 0, e)
	for _, s := range sets[1:] {
		d = m.norm.Both(d, degree(s, 0, e))
	}
	return d
}

// atMost bounds the exact degree of an entity in branch b of a set.
func (m *Machine) atMost(s *Set, b int, e int32) float32 {
	switch o := &s.made; o.op {
	case row:
		return m.entryAtMost(s.single(), e)
	case times, push:
		d := float32(1)
		for _, x := range o.with {
			d = m.norm.Both(d, m.atMost(x, b, e))
		}
		return min(d, s.branch(b).at(e)*m.Slack())
	}
	return s.branch(b).at(e) * m.Slack()
}

// entryAtMost bounds the exact degree of an entity in a row.
func (m *Machine) entryAtMost(x *fuzzy, e int32) float32 {
	d := x.at(e)
	switch {
	case x.of != nil && x.of.coarse != nil:
		least := x.of.at(e) * float32(math.Exp(-x.of.coarse.off))
		return negate(least, float32(m.settings.Negation))
	case x.coarse == nil, d == 0, d == 1:
		return d
	}
	return min(limit, d*float32(math.Exp(x.coarse.off)))
}

// SharpenAnswer is Sharpen of the answer.
func (m *Machine) SharpenAnswer(degrees []float32, k int) { m.Sharpen(degrees, m.answer, k) }

// Sharpen makes the k best of degrees exact that Dense has written from a set.
func (m *Machine) Sharpen(degrees []float32, s *Set, k int) {
	if m.off == 0 || s == nil {
		return
	}
	m.bestExactly(degrees, &fuzzy{full: degrees}, k, k, s)
}
