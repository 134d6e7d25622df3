package importer

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

// TestHoldOut expects that facts are moved and put back, and that each entity and relation
// keeps a fact.
func TestHoldOut(t *testing.T) {
	make := func() *Dataset {
		d := &Dataset{Entities: names.Numbered("e", 40), Relations: names.Numbered("r", 3)}
		for e := range graph.EntityID(38) {
			d.Train = append(d.Train, graph.Triple{Head: e, Relation: int32(e % 2), Tail: (e + 1) % 38}, graph.Triple{Head: e, Relation: int32(e % 2), Tail: (e + 5) % 38})
		}
		// The only fact of a relation, of an entity, and one of an entity with itself.
		d.Train = append(d.Train, graph.Triple{Head: 1, Relation: 2, Tail: 2}, graph.Triple{Head: 38, Relation: 1, Tail: 0}, graph.Triple{Head: 39, Relation: 1, Tail: 39})
		return d
	}
	d, all := make(), make().Train
	d.HoldOut(20)
	if n := len(d.Valid); n < 17 || n > 20 || len(d.Train) != len(all)-n { // but for the three that cannot be
		t.Fatalf("%d facts are held out, %d stay, want about 20 of %d", n, len(d.Train), len(all))
	}
	if relations, entities := d.Unseen(); len(relations) > 0 || entities > 0 {
		t.Errorf("nothing is left of relations %v and of %d entities", relations, entities)
	}
	again := make()
	again.HoldOut(20)
	if !slices.Equal(again.Valid, d.Valid) {
		t.Error("other facts are held out again")
	}
	// Of a graph that has grown, and whose facts come in another order, at most a few others are held out.
	grown := make()
	slices.Reverse(grown.Train)
	grown.Train = append(grown.Train, grown.Train[0], graph.Triple{Head: 3, Relation: 1, Tail: 30}, graph.Triple{Head: 4, Relation: 1, Tail: 31})
	grown.HoldOut(20)
	same := 0
	for _, f := range grown.Valid {
		if slices.Contains(d.Valid, f) {
			same++
		}
		if slices.Contains(grown.Train, f) {
			t.Errorf("%v is held out and stays", f)
		}
	}
	if same < 18 {
		t.Errorf("of 20 facts that a graph has held out, it holds out %d when it has grown by two", same)
	}
	most := make()
	most.HoldOut(len(all))
	if relations, entities := most.Unseen(); len(relations) > 0 || entities > 0 || len(most.Valid) < 30 {
		t.Errorf("of all, %d are held out, and nothing is left of relations %v and of %d entities", len(most.Valid), relations, entities)
	}
	d.PutBack()
	byID := func(a, b graph.Triple) int {
		return slices.Compare([]int32{int32(a.Head), a.Relation, int32(a.Tail)}, []int32{int32(b.Head), b.Relation, int32(b.Tail)})
	}
	slices.SortFunc(d.Train, byID)
	slices.SortFunc(all, byID)
	if d.Valid != nil || !slices.Equal(d.Train, all) {
		t.Errorf("the observed facts are %v, want %v", d.Train, all)
	}
}

// TestHoldOutShare has documents with four words each, of which three are in that document alone. Of the facts about words
// in several documents, the share that is asked for is held out, and of the others none is.
func TestHoldOutShare(t *testing.T) {
	const documents, words = 1000, 50
	d := &Dataset{Entities: names.Numbered("e", words+4*documents), Relations: names.Numbered("r", 2)}
	for i := range documents {
		document := graph.EntityID(words + 4*i)
		d.Train = append(d.Train, graph.Triple{Head: document, Tail: graph.EntityID(i % words)})
		for k := range graph.EntityID(3) {
			d.Train = append(d.Train, graph.Triple{Head: document, Tail: document + 1 + k})
		}
	}
	d.HoldOut(len(d.Train) / 10)
	for _, f := range d.Valid {
		if f.Tail >= words {
			t.Fatalf("%v is held out, and nothing stays of its tail", f)
		}
	}
	if n := len(d.Valid); n < documents/10-35 || n > documents/10+35 { // 3.7 standard deviations
		t.Errorf("%d of %d facts that can be held out are, want about a tenth", n, documents)
	}
}

// TestPutAside expects the facts that are put aside to be test facts that the model holds back, and the
// same ones that are held out to validate by without them.
func TestPutAside(t *testing.T) {
	ring := func() *Dataset {
		d := &Dataset{Entities: names.Numbered("e", 40), Relations: names.Numbered("r", 1)}
		for e := range graph.EntityID(40) {
			d.Train = append(d.Train, graph.Triple{Head: e, Tail: (e + 1) % 40}, graph.Triple{Head: e, Tail: (e + 5) % 40})
		}
		return d
	}
	d := ring()
	d.PutAside(0.1)
	other := ring()
	other.HoldOut(8)
	if len(d.Test) != 8 || !slices.Equal(d.Heldout, d.Test) || !slices.Equal(other.Valid, d.Test) || len(d.Train) != 72 {
		t.Errorf("test split %v, held back %v, %d facts stay; want %v", d.Test, d.Heldout, len(d.Train), other.Valid)
	}
}
