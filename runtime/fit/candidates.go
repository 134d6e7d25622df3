package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/top"
)

// beam is the least degree, relative to the best candidate's, at which a candidate gets a row if the method is not
// exact. Lower ones would lose.
const beam = 0.03

// choose finds the best entities of a variable, and selects those to get rows.
func (m *sharpener) choose(c *Candidates) {
	x := c.of.single()
	sets := append(m.setLists.Take(1 + len(c.times))[:0], c.of)
	for _, p := range c.times {
		x = m.arena.Mul(x, p.single())
		sets = append(sets, p)
	}
	best := m.bestExactly(nil, x, m.settings.Candidates, c.most, sets...)
	withRows := min(m.settings.Candidates, len(best))
	for !m.exact() && !m.rowsAlone && withRows > 0 && best[withRows-1].Score < beam*best[0].Score {
		withRows--
	}
	if c.most == m.settings.Candidates { // all have rows
		best = best[:withRows]
	}
	c.ids, c.withRows = m.arena.Ints.Take(len(best)), m.arena.Ints.Take(withRows)
	for i, b := range best {
		c.ids[i] = int32(b.Entity)
	}
	for i := range c.withRows {
		c.withRows[i] = int32(i)
	}
	if m.off > 0 && len(c.times) == 0 {
		c.exact = m.arena.Floats.Take(withRows)
		for i := range c.exact {
			c.exact[i] = best[i].Score
		}
	}
}

// bestExactly returns up to most entities of largest degree above 0 in x, which is the product of sets, with the k
// best ordered by exact degrees. It writes the exact degrees that it computes to dst, unless that is nil.
func (m *sharpener) bestExactly(dst []float32, x *fuzzy.Set, k, most int, sets ...*Set) []top.Ranked {
	if m.off == 0 {
		return m.bestOf(x, most)
	}
	for size := max(most, 4*k); ; size *= 2 {
		list := m.arena.Best(x, size)
		asked := m.askBest(dst, list, k, sets)
		if asked == size && size < m.arena.N {
			continue
		}
		slices.SortFunc(list[:asked], top.Compare)
		list = slices.DeleteFunc(list, func(r top.Ranked) bool { return r.Score == 0 })
		return list[:min(most, len(list))]
	}
}

// askBest makes the degrees of the first entities of a list exact, until no other may be among the k best, and
// returns the number of exact ones.
func (m *sharpener) askBest(dst []float32, list []top.Ranked, k int, sets []*Set) int {
	best := m.arena.Floats.Take(k) // in ascending order
	clear(best)
	for i, x := range list {
		e := int32(x.Entity)
		if best[0] >= 1 || !m.near(x.Score, best[0]) || m.run.Err() != nil { // degree 1 is exact
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
func (m *sharpener) productOf(sets []*Set, degree func(s *Set, b int, e int32) float32, e int32) float32 {
	d := degree(sets[0], 0, e)
	for _, s := range sets[1:] {
		d = m.arena.Norm.Both(d, degree(s, 0, e))
	}
	return d
}
