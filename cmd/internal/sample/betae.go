package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// maxTurns is the number of relations that BetaE tries for the next atom of a chain while they are the inverse of the
// previous one.
const maxTurns = 40

// betae fills all atoms of all disjuncts, positive or negated, by walking backwards from one shared answer: each atom
// gets one of the relations into its end, then one of their heads. Within a chain no relation is followed by its
// inverse.
func (w *walk) betae() bool {
	values := map[string]int32{"f": pick(w.rng, w.index.nodes)}
	for i := range w.patterns {
		w.pattern = &w.patterns[i]
		w.values = make([]int32, len(w.pattern.Variables))
		for v, name := range w.pattern.Variables {
			w.values[v] = unset
			if e, ok := values[name]; ok {
				w.values[v] = e
			}
		}
		if !w.branches(0, unset) {
			return false
		}
		for v, name := range w.pattern.Variables {
			values[name] = w.values[v]
		}
	}
	return true
}

// branches fills the atoms into a variable, and the atoms behind them. came is the relation by which the walk left
// the previous variable, unset at a fork.
func (w *walk) branches(v int, came int32) bool {
	var in []scq.Atom
	for _, a := range w.pattern.Atoms {
		if a.Tail == scq.Var(v) {
			in = append(in, a)
		}
	}
	if len(in) > 1 || len(w.patterns) > 1 {
		came = unset
	}
	for _, a := range in {
		r := w.relation(a, false)
		if r == unset {
			e := int32(0)
			ok := false
			r, e, ok = w.back(w.values[v], came)
			if !ok {
				return false
			}
			w.setRelation(a, r)
			w.setTerm(a.Head, e)
		}
		if !a.Head.Constant && !w.branches(a.Head.Index, r) {
			return false
		}
	}
	return true
}

// back draws an atom into an entity: its relation, which is not the inverse of the next one in the chain, and its
// head.
func (w *walk) back(to, follows int32) (relation, head int32, ok bool) {
	for range maxTurns {
		out, e, ok := w.index.edge(w.rng, to)
		if !ok {
			return 0, 0, false
		}
		if r := out ^ 1; follows == unset || r != follows^1 {
			return r, e, true
		}
	}
	return 0, 0, false
}

// newFacts lists the 1p queries with answers in a split, in random order: the pairs of an entity and a relation of
// facts in full that are not in small, which may be nil.
func newFacts(small, full *graph.Graph, t *Template, seed uint64) [][]int32 {
	var list [][]int32
	for r := range graph.RelationID(full.NumRelations()) {
		heads, tails := full.Edges(r)
		for i, h := range heads {
			if small != nil && small.Has(graph.EntityID(h), r, graph.EntityID(tails[i])) {
				continue
			}
			args := make([]int32, 2)
			args[t.slots.Constants[0].Index] = h
			args[t.slots.Relations[0].Index] = int32(r)
			if n := len(list); n == 0 || !slices.Equal(list[n-1], args) {
				list = append(list, args)
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(list))))
	shuffle(rng, list)
	return list
}
