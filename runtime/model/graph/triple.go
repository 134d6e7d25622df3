package graph

import (
	"cmp"
	"fmt"
)

// Triple is the fact that relation Relation of the graph, 0 ≤ Relation < |R|, links Head to Tail.
type Triple struct {
	Head     EntityID
	Relation int32
	Tail     EntityID
}

// TripleOf returns the stored form of the fact r(h, t); r may be an inverse.
func TripleOf(h EntityID, r RelationID, t EntityID) Triple {
	if r.IsInverse() {
		h, t = t, h
	}
	return Triple{Head: h, Relation: int32(r / 2), Tail: t}
}

// Compare orders triples by relation, head and tail.
func (t Triple) Compare(other Triple) int {
	return cmp.Or(cmp.Compare(t.Relation, other.Relation), cmp.Compare(t.Head, other.Head), cmp.Compare(t.Tail, other.Tail))
}

// check reports an id of t that is out of range.
func (t Triple) check(n, relations int) error {
	switch {
	case t.Head < 0 || int(t.Head) >= n:
		return fmt.Errorf("head is entity %d, want 0 to %d", t.Head, n-1)
	case t.Relation < 0 || int(t.Relation) >= relations:
		return fmt.Errorf("relation is %d, want 0 to %d", t.Relation, relations-1)
	case t.Tail < 0 || int(t.Tail) >= n:
		return fmt.Errorf("tail is entity %d, want 0 to %d", t.Tail, n-1)
	}
	return nil
}
