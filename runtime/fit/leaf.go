package fit

import (
	"github.com/efoc/efoc/runtime/model"
)

// anyHead is the head in the key of a leaf.
const anyHead = -1

// leaf returns the degrees to which entities have some head of r, whichever it is: 1 where one
// is observed and φ elsewhere. They are kept as rows are.
func (m *Machine) leaf(r model.RelationID, phi float32) *fuzzy {
	c, graph := m.rows, m.model.Graph
	k := cacheKey{key{anyHead, r}, scale{leaf: phi}, graph.Stamp(r)}
	e := func() *entry {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.find(k)
	}()
	if e == nil {
		e = c.add(k, observedHeads(graph, r, phi, m.run.Part != nil))
	}
	m.request.read = append(m.request.read, e)
	return e.row
}

// observedHeads is a leaf as it is made, on a part if that is set.
func observedHeads(g *model.Graph, r model.RelationID, phi float32, part bool) *fuzzy {
	tails, _ := g.Edges(r.Inverse()) // of r, in order
	if part {
		tails = tailsOfPart(g, r)
	}
	count := 0
	for i, t := range tails {
		if i == 0 || t != tails[i-1] {
			count++
		}
	}
	x := &fuzzy{rest: phi, ids: make([]int32, 0, count), deg: make([]float32, 0, count)}
	for i, t := range tails {
		if i == 0 || t != tails[i-1] {
			x.ids, x.deg = append(x.ids, t), append(x.deg, 1)
		}
	}
	return x
}
