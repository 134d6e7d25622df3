package model

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Change lists facts to add, facts to remove, and facts to mark as not true, which also removes them. Adding wins
// over the other lists.
type Change struct {
	Add, Remove, Untrue []graph.Triple
	// AddValues and RemoveValues list values of entities; adding wins. An unknown attribute becomes a new one.
	AddValues, RemoveValues []values.Fact
	// Origin is the time and the author of the change: see Note.
	Origin Origin
}

// Settled returns the change with sorted, disjoint lists without duplicates. Adding wins over marking as not true,
// and marking over removing.
func (c Change) Settled() Change {
	c.Add = distinct(c.Add, graph.Triple.Compare)
	c.Untrue = distinct(c.Untrue, graph.Triple.Compare, c.Add)
	c.Remove = distinct(c.Remove, graph.Triple.Compare, c.Add, c.Untrue)
	c.AddValues = distinct(c.AddValues, values.Fact.Compare)
	c.RemoveValues = distinct(c.RemoveValues, values.Fact.Compare, c.AddValues)
	return c
}

// Changed counts the distinct facts and values of a change: added, already present, removed, already absent, newly
// marked as not true, and no longer marked so.
type Changed struct {
	Added    int `json:"added"`
	Present  int `json:"present"`
	Removed  int `json:"removed"`
	Absent   int `json:"absent"`
	Marked   int `json:"marked,omitempty"`
	Unmarked int `json:"unmarked,omitempty"`
}

// With returns the model with changed facts: a snapshot that shares the predictor, the names and the lifetime with m,
// which does not change. Its cost depends on the rows of the changed facts, not on the graph. Added facts are no
// longer held back; removed facts are neither observed nor held back; both lose the mark that they are not true. With
// refuses ids out of range, and then changes nothing.
func (m *Model) With(c Change) (*Model, Changed, error) {
	if err := m.Hold(); err != nil {
		return nil, Changed{}, err
	}
	defer m.Release()
	var done Changed
	c = c.Settled()
	remove := slices.Concat(c.Untrue, c.Remove)
	changed, added, removed, err := m.Graph.With(c.Add, remove)
	if err != nil {
		return nil, done, err
	}
	next := *m
	next.Graph, next.Manifest.Triples = changed, changed.NumTriples()
	absent := len(c.Remove)
	for _, t := range c.Remove {
		if m.Graph.HasTriple(t) || m.Heldout != nil && m.Heldout.HasTriple(t) {
			absent--
		}
	}
	marked, unmarked, err := next.mark(c.Untrue, slices.Concat(c.Add, c.Remove))
	if err != nil {
		return nil, done, err
	}
	if m.Heldout != nil {
		next.Heldout, _, _, err = m.Heldout.With(nil, slices.Concat(c.Add, remove))
		if err != nil {
			return nil, done, err
		}
		next.Manifest.Heldout = next.Heldout.NumTriples()
		for _, t := range remove {
			if m.Heldout.HasTriple(t) && !m.Graph.HasTriple(t) {
				removed++
			}
		}
	}
	var stated, withdrawn int
	next.values, next.Manifest.Attributes, stated, withdrawn, err = m.values.With(m.Manifest.Attributes, c.AddValues, c.RemoveValues, m.NumEntities())
	if err != nil {
		return nil, done, err
	}
	done = Changed{
		Added: added + stated, Present: len(c.Add) - added + len(c.AddValues) - stated,
		Removed: removed + withdrawn, Absent: absent + len(c.RemoveValues) - withdrawn, Marked: marked, Unmarked: unmarked,
	}
	same := stated+withdrawn == 0 && len(next.Manifest.Attributes) == len(m.Manifest.Attributes)
	if changed == m.Graph && next.Heldout == m.Heldout && next.Untrue == m.Untrue && same {
		return m, done, nil
	}
	next.Manifest.Regularities = changed.RegularitiesAfter(m.Graph, m.Manifest.Regularities, slices.Concat(c.Add, remove))
	return &next, done, nil
}

// mark marks facts as not true, and clears the mark of others. It returns the numbers of newly marked facts
// and of cleared marks.
func (m *Model) mark(untrue, others []graph.Triple) (marked, cleared int, err error) {
	if m.Untrue == nil {
		if len(untrue) == 0 {
			return 0, 0, nil
		}
		m.Untrue, err = graph.New(m.NumEntities(), m.NumRelations()/2, nil)
		if err != nil {
			return 0, 0, err
		}
	}
	m.Untrue, marked, cleared, err = m.Untrue.With(untrue, others)
	if err == nil {
		m.Manifest.Untrue = m.Untrue.NumTriples()
	}
	return marked, cleared, err
}

// distinct returns a sorted copy of a list without duplicates and without the elements of others, which are sorted.
func distinct[T any](list []T, compare func(T, T) int, others ...[]T) []T {
	list = slices.SortedFunc(slices.Values(list), compare)
	list = slices.CompactFunc(list, func(a, b T) bool { return compare(a, b) == 0 })
	for _, other := range others {
		list = slices.DeleteFunc(list, func(x T) bool {
			_, both := slices.BinarySearchFunc(other, x, compare)
			return both
		})
	}
	return list
}

// plain returns the model in the form that a bundle stores: graphs with one list of triples each, and one list of
// values.
func (m *Model) plain() *Model {
	p := *m
	p.Graph = m.Graph.Plain()
	p.Heldout = m.Heldout.Plain()
	p.Untrue = m.Untrue.Plain()
	if m.values.Changed() {
		p.values = m.values.Plain(m.Manifest.Attributes)
	}
	if p.Graph != m.Graph {
		p.Manifest.Regularities = p.Graph.Regularities()
	}
	return &p
}
