package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
)

// On a part of a split model sets have the degrees of the part's entities, which are numbered
// from its first one; candidates, and the heads of links, are entities of all parts. What
// depends on others is exchanged: the best entities, the largest degree, the degrees of
// candidates and of the heads of links, and what rows are normalised by. All that decides
// whether there is an exchange is the same on all ranks; whether sets are full is not.

// entities returns the number of entities of all parts.
func (m *Machine) entities() int {
	if p := m.run.Part; p != nil {
		return p.Total
	}
	return m.n
}

// local returns the number of an entity in sets, and whether it is of this part.
func (m *Machine) local(e int32) (int32, bool) {
	p := m.run.Part
	if p == nil {
		return e, true
	}
	return e - int32(p.First), p.Owns(e)
}

// is reports whether an entity is that which has a number in sets.
func (m *Machine) is(e, local int32) bool {
	at, mine := m.local(e)
	return mine && at == local
}

// largest returns the largest degree of each set.
func (m *Machine) largest(x []*fuzzy) []float32 {
	list := m.floats.take(len(x))
	for i, y := range x {
		list[i] = y.top(m.n)
	}
	if p := m.run.Part; p != nil && len(list) > 0 {
		p.Max(list)
	}
	return list
}

// top returns the largest degree.
func (m *Machine) top(x *fuzzy) float32 {
	if m.run.Part == nil {
		return x.top(m.n)
	}
	return m.largest([]*fuzzy{x})[0]
}

// best returns the k entities of largest degree above 0, best first, ties in order of id.
func (m *Machine) best(x *fuzzy, k int) []member {
	best := m.heap.best(x, k, m.n)
	p := m.run.Part
	if p == nil {
		return best
	}
	mine := make([]member, min(k, p.Total))
	for i := range mine {
		if mine[i].id = -1; i < len(best) {
			mine[i] = member{best[i].id + int32(p.First), best[i].deg}
		}
	}
	all := slices.DeleteFunc(collective.Gather(p.Group, mine), func(b member) bool { return b.id < 0 })
	slices.SortFunc(all, func(a, b member) int { return cmp.Or(cmp.Compare(b.deg, a.deg), cmp.Compare(a.id, b.id)) })
	return all[:min(k, len(all))]
}

// degrees sets dst to the degrees of entities in some sets, one behind the other.
func (m *Machine) degrees(dst []float32, ids []int32, x []*fuzzy) {
	for i, u := range x {
		part := dst[i*len(ids) : (i+1)*len(ids)]
		for j, e := range ids {
			if at, mine := m.local(e); mine {
				part[j] = u.at(at)
			} else {
				part[j] = 0
			}
		}
	}
	if p := m.run.Part; p != nil && len(dst) > 0 {
		all := m.floats.take(len(dst)) // dst would escape
		copy(all, dst)
		p.Add(all)
		copy(dst, all)
	}
}

// eachLink calls use for each observed link of r, with the degree that its head has in u, unless
// that is skip. Links come by their heads.
func (m *Machine) eachLink(u *fuzzy, r model.RelationID, skip float32, use func(degree float32, head, tail int32)) {
	m.run.Part.EachLink(r, u.at, func(degree float32, head, tail int32) {
		if degree != skip {
			use(degree, head, tail)
		}
	})
}

// linksOfPart is links.
func (m *Machine) linksOfPart(u *fuzzy, p *pusher) {
	r := p.rows[p.along].relation
	m.eachLink(u, r, u.rest, func(d float32, c, t int32) {
		if _, among := slices.BinarySearch(p.marked, c); d != 0 && !among && m.leads(c, t, p.rows, p.along) {
			m.maximum.raise(t, d)
		}
	})
}

// leafOfPart is leafOf.
func (m *Machine) leafOfPart(x *fuzzy, r model.RelationID, phi float32) *fuzzy {
	rest := m.norm.Both(phi, m.top(x))
	m.maximum.start(m.n)
	m.run.Part.Reach(r, true, x.at).Each(func(d float32, t int32) {
		if d > rest {
			m.maximum.raise(t, d)
		}
	})
	return m.raised(rest)
}

// raised returns what was offered, and rest elsewhere.
func (m *Machine) raised(rest float32) *fuzzy {
	a := &m.maximum
	slices.Sort(a.touched)
	z := m.list(rest, len(a.touched))
	for _, e := range a.touched {
		z.add(e, a.sum[e])
		a.sum[e] = 0
	}
	return m.fit(z)
}

// tailsOfPart lists the tails of r in this part.
func tailsOfPart(g *model.Graph, r model.RelationID) []int32 {
	_, tails := g.Edges(r)
	list := slices.Clone(tails)
	slices.Sort(list)
	return slices.Compact(list)
}

// agreeOnMissing adds the rows that other ranks lack to those that are missing: their
// budgets may have dropped others.
func (k *maker) agreeOnMissing(all []*request) {
	var keys []key
	var lacks []float32
	for _, r := range all {
		keys = append(keys, r.keys...)
		for _, row := range r.made {
			if lacks = append(lacks, 0); row == nil {
				lacks[len(lacks)-1] = 1
			}
		}
	}
	if len(lacks) > 0 {
		k.part.Max(lacks)
	}
	clear(k.places)
	k.missing = k.missing[:0]
	for i, x := range keys {
		if _, listed := k.places[x]; lacks[i] > 0 && !listed {
			k.places[x] = len(k.missing)
			k.missing = append(k.missing, x)
		}
	}
}

// heads returns the embeddings of the heads of some keys.
func (k *maker) heads(keys []key) []float32 {
	width := 2 * k.model.Predictor.Rank
	rows, ids := make([]float32, len(keys)*width), make([]int32, len(keys))
	for i, x := range keys {
		ids[i] = x.h
	}
	table := &k.model.Predictor.EntityTable
	k.part.Embeddings(rows, ids, func(to []float32, row int32) { copy(to, table.Row(model.EntityID(row), to)) })
	return rows
}

// norm is what a row is normalised by: exponentials are relative to Top.
type norm struct{ Top, Sum, Mass, Tails float64 }

// agreeOnNorms sets Sum of the norms of a pass to what the exponentials of this part are
// multiplied by.
func (k *maker) agreeOnNorms(keys []key) {
	k.norms = slices.Grow(k.norms[:0], len(keys))[:len(keys)]
	k.model.Pool().Each(len(keys), func(_, i int) { k.norms[i] = k.normOf(keys[i], i) })
	all := collective.Gather(k.part.Group, k.norms)
	if all == nil {
		return
	}
	for i := range keys {
		total, own := norm{Top: math.Inf(-1)}, k.norms[i].Top
		for at := i; at < len(all); at += len(keys) {
			total.Top = max(total.Top, all[at].Top)
		}
		for at := i; at < len(all); at += len(keys) {
			x := all[at]
			by := math.Exp(x.Top - total.Top)
			total.Sum, total.Mass, total.Tails = total.Sum+by*x.Sum, total.Mass+by*x.Mass, total.Tails+x.Tails
		}
		c := max(1, total.Tails)
		if k.scale.mass && total.Tails > 0 {
			c = total.Tails / max(total.Mass/total.Sum, 1e-6)
		}
		k.norms[i] = norm{Top: own, Sum: c / total.Sum * math.Exp(own-total.Top)}
	}
}

// normOf returns that of this part.
func (k *maker) normOf(x key, i int) norm {
	e := &k.reading.Exponentials[i]
	n := norm{Top: float64(e.Top), Sum: e.Sum}
	tails := k.graph.Tails(model.EntityID(x.h), x.r)
	n.Tails = float64(len(tails))
	if k.scale.mass {
		exps := k.score(i)
		for _, t := range tails {
			n.Mass += float64(exps[t])
		}
	}
	return n
}

// What follows is for traces, which all ranks make in step. Entities come by the numbers that
// they have in all parts, except where a graph lists them as tails.

// global returns the number of an entity in all parts, by that in sets.
func (m *Machine) global(e int32) int32 {
	if p := m.run.Part; p != nil {
		e += int32(p.First)
	}
	return e
}

// at returns the degree of an entity in a set.
func (m *Machine) at(x *fuzzy, e int32) float32 {
	if m.run.Part == nil {
		return x.at(e)
	}
	return m.each([]*fuzzy{x}, e)[0]
}

// each returns the degrees of an entity in some sets.
func (m *Machine) each(x []*fuzzy, e int32) []float32 {
	list := make([]float32, len(x))
	m.degrees(list, []int32{e}, x)
	return list
}

// linkedBack reports whether the link of a row is observed from c, which has this number in
// sets, to entity e.
func (m *Machine) linkedBack(r *RowSet, c, e int32) bool {
	if r.unequal {
		return m.global(c) == e
	}
	return m.model.Graph.Has(model.EntityID(e), r.relation.Inverse(), model.EntityID(c))
}

// linkedTo reports whether the link of a row is observed from c to e.
func (m *Machine) linkedTo(r *RowSet, c, e int32) bool {
	p := m.run.Part
	switch {
	case r.unequal:
		return c == e
	case p == nil:
		return m.linkedBack(r, c, e)
	}
	has := [1]float32{}
	if at, mine := m.local(c); mine && m.linkedBack(r, at, e) {
		has[0] = 1
	}
	p.Max(has[:])
	return has[0] > 0
}

// bestOfParts returns the best of what the ranks have found, the first of equal ones; id is -1
// if none found any.
func (m *Machine) bestOfParts(x member) member {
	p := m.run.Part
	if p == nil {
		return x
	}
	best := member{id: -1}
	for _, y := range collective.Gather(p.Group, []member{x}) {
		if y.id >= 0 && (best.id < 0 || y.deg > best.deg || y.deg == best.deg && y.id < best.id) {
			best = y
		}
	}
	return best
}

// sizeOfParts returns how many entities a set lists.
func (m *Machine) sizeOfParts(x *fuzzy) int {
	size := [1]float64{float64(x.size())}
	if p := m.run.Part; p != nil {
		p.Sum(size[:])
	}
	return int(size[0])
}
