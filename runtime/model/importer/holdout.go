package importer

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// HoldOut moves about the given number of observed facts, drawn by the seed, to the validation split.
// A fact that is the last one of its relation, or of an entity at its head or tail, stays: without it
// nothing would be learnt about these.
func (d *Dataset) HoldOut(facts int, seed uint64) {
	entities, relations := make([]int32, d.Entities.Len()), make([]int32, d.Relations.Len())
	for _, t := range d.Train {
		entities[t.Head]++
		entities[t.Tail]++
		relations[t.Relation]++
	}
	random, held := rand.New(rand.NewPCG(seed, 0)), map[int]bool{}
	for range 10 * facts { // most draws are accepted
		if len(held) == facts {
			break
		}
		i := random.IntN(len(d.Train))
		t := d.Train[i]
		least := int32(1)
		if t.Head == t.Tail {
			least = 2
		}
		if held[i] || entities[t.Head] <= least || entities[t.Tail] <= least || relations[t.Relation] <= 1 {
			continue
		}
		held[i] = true
		entities[t.Head]--
		entities[t.Tail]--
		relations[t.Relation]--
		d.Valid = append(d.Valid, t)
	}
	i := -1
	d.Train = slices.DeleteFunc(d.Train, func(model.Triple) bool { i++; return held[i] })
}

// PutBack returns the validation facts to the observed ones.
func (d *Dataset) PutBack() { d.Train, d.Valid = append(d.Train, d.Valid...), nil }
