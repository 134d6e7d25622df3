package calibrate

import (
	"iter"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// HeldBack returns the facts that a model holds back, without facts in its graph: those that calibrated it, and the
// others, which can test it.
func HeldBack(m *model.Model) (used, unused []graph.Triple) {
	marks := m.Manifest.Missing.HeldBack
	for i, t := range heldFacts(m) {
		switch {
		case m.Graph.HasTriple(t):
		case i/8 < len(marks) && marks[i/8]>>(i%8)&1 == 1:
			used = append(used, t)
		default:
			unused = append(unused, t)
		}
	}
	return used, unused
}

// mark returns model.Missing.HeldBack of a model that facts calibrate.
func mark(m *model.Model, facts []graph.Triple) (marks []byte) {
	calibrate := map[graph.Triple]bool{}
	for _, t := range facts {
		calibrate[t] = true
	}
	for i, t := range heldFacts(m) {
		if !calibrate[t] {
			continue
		}
		if marks == nil {
			marks = make([]byte, (m.Manifest.Heldout+7)/8)
		}
		marks[i/8] |= 1 << (i % 8)
	}
	return marks
}

// heldFacts numbers the facts that a model holds back, by relation, head and tail.
func heldFacts(m *model.Model) iter.Seq2[int, graph.Triple] {
	return func(yield func(int, graph.Triple) bool) {
		if m.Heldout == nil {
			return
		}
		n := 0
		for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
			heads, tails := m.Heldout.Edges(r)
			for i, h := range heads {
				if !yield(n, graph.Triple{Head: graph.EntityID(h), Relation: int32(r / 2), Tail: graph.EntityID(tails[i])}) {
					return
				}
				n++
			}
		}
	}
}
