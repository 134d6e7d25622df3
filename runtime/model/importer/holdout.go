package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// HoldOut moves observed facts to the validation split: of the given number of facts, those with the least hashes of their
// names. As a graph grows, it therefore mostly takes the same facts again and some of the new ones, in any
// order of the files. The last fact of a relation, or of an entity, stays: otherwise nothing would be learnt about these.
// No other fact is moved in its place, so that the share moved of those that can be is the same as of all.
func (d *Dataset) HoldOut(facts int) { d.Valid = append(d.Valid, d.take(facts)...) }

// PutAside moves a share of the observed facts to the test split and to the facts that a bundle holds back. It takes
// the facts that HoldOut takes first.
func (d *Dataset) PutAside(share float64) {
	d.Heldout = d.take(int(share * float64(len(d.Train))))
	d.Test = d.Heldout
}

// PutBack returns the validation facts to the observed ones.
func (d *Dataset) PutBack() {
	d.Train = append(d.Train, d.Valid...)
	d.Valid = nil
}

// ordered is a fact with its key in the order of taking.
type ordered struct {
	hash uint64
	fact graph.Triple
}

// take removes facts from the observed ones, always the same ones.
func (d *Dataset) take(facts int) []graph.Triple {
	order := d.order()
	entities := make([]int32, d.Entities.Len())
	relations := make([]int32, d.Relations.Len())
	for _, x := range order {
		entities[x.fact.Head]++
		entities[x.fact.Tail]++
		relations[x.fact.Relation]++
	}

	var list []graph.Triple
	taken := map[graph.Triple]bool{}
	for _, x := range order[:min(facts, len(order))] {
		t := x.fact
		least := int32(1)
		if t.Head == t.Tail {
			least = 2
		}
		if entities[t.Head] <= least || entities[t.Tail] <= least || relations[t.Relation] <= 1 {
			continue
		}
		entities[t.Head]--
		entities[t.Tail]--
		relations[t.Relation]--
		taken[t] = true
		list = append(list, t)
	}
	d.Train = slices.DeleteFunc(d.Train, func(t graph.Triple) bool { return taken[t] })
	return list
}

// order returns the distinct observed facts, by the hash of their names.
func (d *Dataset) order() []ordered {
	list := make([]ordered, len(d.Train))
	var text []byte
	for i, t := range d.Train {
		text = binary.LittleEndian.AppendUint64(text[:0], 1)
		for _, name := range []string{d.Entities.Name(int32(t.Head)), d.Relations.Name(t.Relation), d.Entities.Name(int32(t.Tail))} {
			text = append(text, name...)
			text = append(text, 0)
		}
		sum := sha256.Sum256(text)
		list[i] = ordered{binary.LittleEndian.Uint64(sum[:]), t}
	}
	slices.SortFunc(list, func(a, b ordered) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.fact.Head, b.fact.Head), cmp.Compare(a.fact.Relation, b.fact.Relation), cmp.Compare(a.fact.Tail, b.fact.Tail))
	})
	return slices.Compact(list)
}
