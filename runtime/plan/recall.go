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
// decide which rows are read again. With a cache of sweeps, an equal request gets the cached results, to the bit.

// recall describes the cached results of a sweep.
type recall struct {
	name    fit.SweepName
	keeps   bool        // whether to cache the results
	outputs [][]float32 // room for the list of them
}

// keptSweep is the cached result of a sweep.
type keptSweep struct {
	results [][]float32
	coarse  bool // codes were read
}

// numberBytes is the size of a number.
const numberBytes = int(unsafe.Sizeof(float32(0)))

// seeds make names unpredictable, so that nobody can craft a request with the name of another.
var seeds = [...]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// A content hashes the content of a request.
type content [len(seeds)]maphash.Hash

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

// sum adds a sum of rows.
func (c *content) sum(s *sweep.Sum) {
	value(c, [...]int{len(s.Scores), len(s.Weights)})
	value(c, s.G != nil)
	for _, i := range s.Scores {
		value(c, i)
	}
	for _, x := range s.Weights {
		c.vector(x)
	}
}

// name names the request by all that its results depend on.
func (s *Sweep) name() (name fit.SweepName) {
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
		c.sum(&s.reader.Sums[i])
	}
	for i := range s.states {
		c.sum(&s.states[i])
	}
	value(&c, s.w.settings.Weight) // it decides which rows are read again
	for i := range s.scores {
		c.vector(s.scores[i].links)
	}
	for i := range c {
		name[i] = c[i].Sum64()
	}
	return name
}

// recalled serves the request from the cache, and reports whether its results were there.
func (s *Sweep) recalled() bool {
	r := &s.recall
	r.keeps = s.w.Part == nil && !s.w.ranksAll && len(s.reader.Loops) == 0 && s.w.Err() == nil && s.w.model.rows.KeepsSweeps()
	if !r.keeps {
		return false
	}
	r.name = s.name()
	var results any
	results, r.keeps = s.w.model.rows.Sweep(r.name)
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
	s.reader.ServedFrom(source)
	return true
}

// keep caches the results.
func (s *Sweep) keep() {
	if !s.recall.keeps || s.w.Err() != nil {
		return
	}
	kept := &keptSweep{coarse: s.reader.Coarse() != nil}
	numbers := 0
	for _, x := range s.outputs() {
		kept.results = append(kept.results, slices.Clone(x))
		numbers += len(x)
	}
	s.w.model.rows.KeepSweep(s.recall.name, kept, numberBytes*numbers)
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
