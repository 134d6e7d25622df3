package fit

import (
	"github.com/efoc/efoc/runtime/internal/rank"
	"github.com/efoc/efoc/runtime/model"
)

// On a part of a split model sets have the degrees of the part's entities, which are numbered
// from its first one; candidates, and the heads of links, are entities of all parts. What
// depends on others is exchanged: the best entities, the largest degree, the degrees of
// candidates and of the heads of links, and what rows are normalised by. All that decides
// whether there is an exchange is the same on all ranks; whether sets are full is not. A whole
// model is its only part.

// entities returns the number of entities of all parts.
func (m *Machine) entities() int { return m.run.Part.Total(m.n) }

// largest returns the largest degree of each set.
func (m *Machine) largest(x []*fuzzy) []float32 {
	list := m.floats.take(len(x))
	for i, y := range x {
		list[i] = y.top(m.n)
	}
	m.run.Part.Max(list)
	return list
}

// top returns the largest degree.
func (m *Machine) top(x *fuzzy) float32 { return m.largest([]*fuzzy{x})[0] }

// bestOf returns the k entities of largest degree above 0, best first, ties in order of id.
func (m *Machine) bestOf(x *fuzzy, k int) []rank.Ranked {
	return m.run.Part.Best(m.best(x, k, m.n), k)
}

// degrees sets dst to the degrees of entities in some sets, one behind the other.
func (m *Machine) degrees(dst []float32, ids []int32, x []*fuzzy) {
	m.ownDegrees(dst, ids, x)
	m.run.Part.Add(dst)
}

// ownDegrees is degrees of the entities of this part, 0 of others.
func (m *Machine) ownDegrees(dst []float32, ids []int32, x []*fuzzy) {
	for i, u := range x {
		for j, e := range ids {
			d := float32(0)
			if row, mine := m.run.Part.Local(e); mine {
				d = u.at(row)
			}
			dst[i*len(ids)+j] = d
		}
	}
}

// each returns the degrees of an entity in some sets.
func (m *Machine) each(x []*fuzzy, e int32) []float32 {
	list := make([]float32, len(x))
	m.setEach(list, x, e)
	return list
}

// setEach sets dst to the degrees of an entity in some sets.
func (m *Machine) setEach(dst []float32, x []*fuzzy, e int32) {
	m.degrees(dst, []int32{e}, x)
	if m.off > 0 {
		for i, u := range x {
			dst[i] = m.entry(u, e)
		}
	}
}

// at returns the degree of an entity in a set.
func (m *Machine) at(x *fuzzy, e int32) float32 {
	var d [1]float32
	m.setEach(d[:], []*fuzzy{x}, e)
	return d[0]
}

// bestRow returns the entity of the best of what the parts have found, each at a row; -1 if none has
// found any.
func (m *Machine) bestRow(found rank.Ranked) int32 {
	list := []rank.Ranked{found}
	if found.Entity < 0 {
		list = nil
	}
	list = m.run.Part.Best(list, 1)
	if len(list) == 0 {
		return -1
	}
	return int32(list[0].Entity)
}

// linkedBack reports whether the link of a row is observed from the entity of row c to entity e.
func (m *Machine) linkedBack(r *RowSet, c, e int32) bool {
	if r.unequal {
		return m.run.Part.Global(c) == e
	}
	return m.model.Graph.Has(model.EntityID(e), r.relation.Inverse(), model.EntityID(c))
}

// linkedTo reports whether the link of a row is observed from entity c to entity e.
func (m *Machine) linkedTo(r *RowSet, c, e int32) bool {
	has := []float32{0}
	if row, mine := m.run.Part.Local(c); mine && m.linkedBack(r, row, e) {
		has[0] = 1
	}
	m.run.Part.Max(has)
	return has[0] > 0
}

// listsNothing reports whether a set holds no degrees but one for all.
func (m *Machine) listsNothing(x *fuzzy) bool {
	size := []float32{float32(x.size())}
	m.run.Part.Max(size)
	return size[0] == 0
}

// agreeOnMissing adds the rows that other ranks lack to those that are missing: their
// budgets may have dropped others.
func (k *maker) agreeOnMissing(all []*request) {
	var keys []key
	var lacks []float32
	for _, r := range all {
		keys = append(keys, r.keys...)
		for _, row := range r.made {
			lacks = append(lacks, 0)
			if row == nil {
				lacks[len(lacks)-1] = 1
			}
		}
	}
	k.part.Max(lacks)
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
	table := &k.model.Predictor.EntityTable
	rows := make([]float32, len(keys)*table.Width())
	ids := make([]int32, len(keys))
	for i, x := range keys {
		ids[i] = x.h
	}
	k.part.Embeddings(rows, ids, table)
	return rows
}
