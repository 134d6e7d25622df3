package plan

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/sweep"
)

// The results of a sweep depend only on its request: on queries and weights and, if codes were read, on the links that
// decide which rows are read again. With a cache of sweeps, an equal request gets the cached results, to the bit. After a
// change of facts, the queries of an entity's links stay the same: a request with other links gets the results, too, and
// reads rows again. Models with more entities have another cache; for one from Lent, the results of the model without
// the new entities do as well, once the rows of these are added.

// recall describes the cached results of a sweep.
type recall struct {
	name    fit.SweepName
	keeps   bool // whether to cache the results
	content fit.SweepName
	outputs [][]float32 // room for the list of them
	weights [][]float32 // vectors in the content with a number for each entity
}

// keptSweep is the cached result of a sweep.
type keptSweep struct {
	entities int
	results  [][]float32
	tops     []float64 // of the sums
	coarse   bool      // codes were read
}

// numberBytes is the size of a number.
const numberBytes = int(unsafe.Sizeof(float32(0)))

// seeds make names unpredictable, so that nobody can craft a request with the name of another.
var seeds = [...]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// A content hashes the content of a request.
type content [len(seeds)]maphash.Hash

// name returns the name of what has been added.
func (c *content) name() (name fit.SweepName) {
	for i := range c {
		name[i] = c[i].Sum64()
	}
	return name
}

// value adds a value that has no pointers.
func value[T comparable](c *content, x T) {
	for i := range c {
		maphash.WriteComparable(&c[i], x)
	}
}

// vector adds numbers.
func (c *content) vector(x []float32) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), numberBytes*len(x))
	for i := range c {
		maphash.WriteComparable(&c[i], len(x))
		maphash.WriteComparable(&c[i], maphash.Bytes(seeds[i], bytes))
	}
}

// sum adds a sum of rows, with the weights of the first n.
func (r *recall) sum(c *content, s *sweep.Sum, n int) {
	value(c, [...]int{len(s.Scores), len(s.Weights)})
	value(c, s.G != nil)
	for _, i := range s.Scores {
		value(c, i)
	}
	for _, x := range s.Weights {
		c.vector(x[:n])
		r.weights = append(r.weights, x)
	}
}

// setNames names the request: by its content without links and without the entities that Lent added, then by all that
// the results depend on.
func (s *Sweep) setNames() {
	r := &s.recall
	r.weights = r.weights[:0]
	n := s.w.model.readouts.rows()
	var c content
	for i := range c {
		c[i].SetSeed(seeds[i])
	}
	value(&c, s.w.Batched())
	value(&c, [...]int{len(s.reader.Columns), len(s.reader.Sums), len(s.states)})
	for i := range s.reader.Columns {
		x := &s.reader.Columns[i]
		value(&c, [...]bool{x.Cosine, x.Wide})
		c.vector(x.Query)
	}
	for i := range s.reader.Sums {
		r.sum(&c, &s.reader.Sums[i], n)
	}
	for i := range s.states {
		r.sum(&c, &s.states[i], n)
	}
	r.content = c.name()

	value(&c, s.w.settings.Weight) // it decides which rows are read again
	for i := range s.scores {
		c.vector(s.scores[i].links)
	}
	for _, x := range r.weights {
		c.vector(x[n:])
	}
	r.name = c.name()
}

// recalled serves the request from the cache, and reports whether its results were there.
func (s *Sweep) recalled() bool {
	r := &s.recall
	r.keeps = s.w.Part == nil && !s.w.ranksAll && len(s.reader.Loops) == 0 && s.w.Err() == nil && s.w.model.rows.KeepsSweeps()
	if !r.keeps {
		return false
	}
	s.setNames()
	results, whole, wanted := s.w.model.rows.Sweep(r.name, r.content)
	r.keeps = wanted
	if results == nil {
		return false
	}
	kept := results.(*keptSweep)
	for i, x := range s.outputs() {
		copy(x, kept.results[i])
	}
	exact := rows.Float{Model: s.w.model.Model}
	var source rows.Source = exact
	if kept.coarse {
		source = rows.Codes(exact)
	}
	s.reader.ServedFrom(source, s.w.Workers)
	switch {
	case whole:
		return true
	case !s.reader.Extend(exact, kept.entities, kept.tops):
		return false
	}
	s.readScoresAgain()
	s.keep()
	return true
}

// keep caches the results.
func (s *Sweep) keep() {
	if !s.recall.keeps || s.w.Err() != nil {
		return
	}
	kept := &keptSweep{entities: s.w.model.NumEntities(), coarse: s.reader.Coarse() != nil}
	numbers := 0
	for _, x := range s.outputs() {
		kept.results = append(kept.results, slices.Clone(x))
		numbers += len(x)
	}
	for i := range s.reader.Sums {
		kept.tops = append(kept.tops, s.reader.Sums[i].Top)
	}
	s.w.model.rows.KeepSweep(s.recall.name, s.recall.content, kept, numberBytes*numbers)
}

// outputs lists the results of the sweep.
func (s *Sweep) outputs() [][]float32 {
	list := s.recall.outputs[:0]
	for i := range s.reader.Columns {
		list = append(list, s.reader.Columns[i].Dst)
	}
	for i := range s.reader.Sums {
		list = append(list, s.reader.Sums[i].Dst)
		if g := s.reader.Sums[i].G; g != nil {
			list = append(list, g)
		}
	}
	s.recall.outputs = list
	return list
}
