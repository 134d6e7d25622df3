package fit

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/seed"
)

// narrowEntities is the number of entities of linked.
const narrowEntities = 150

// linked is a model of two relations. Some heads have many tails.
func linked(t *testing.T, rng *rand.Rand) *model.Model {
	const n = narrowEntities
	var facts []graph.Triple
	for range 20 * n {
		head := rng.IntN(1 + rng.IntN(1+rng.IntN(n)))
		facts = append(facts, graph.Triple{Head: graph.EntityID(head), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	return modeltest.New(t, modeltest.Spec{Entities: n, Relations: 2, Facts: facts, Rank: 1, Rows: make([]float32, 2*n), RelationRows: make([]float32, 8)})
}

// sparseSet draws a set that lists some entities.
func sparseSet(rng *rand.Rand, size int) *fuzzy.Set {
	x := &fuzzy.Set{}
	for _, e := range rng.Perm(narrowEntities)[:size] {
		x.IDs = append(x.IDs, int32(e))
		x.Deg = append(x.Deg, 1-rng.Float32())
	}
	slices.Sort(x.IDs)
	return x
}

// TestNarrowed compares pushes along observed links into few entities with all facts of a graph.
func TestNarrowed(t *testing.T) {
	const n = narrowEntities
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	m := linked(t, rng)
	sparse := func(size int) *fuzzy.Set { return sparseSet(rng, size) }
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(uncached(m), &state)
	looked := 0
	for round := range 300 {
		machine.Start(m, model.Degrees{Negation: 1}, Want{})
		rows := []*AtomRows{{relation: graph.RelationID(rng.IntN(4))}, {relation: graph.RelationID(rng.IntN(4)), negated: round%3 == 0}}[:1+round%2]
		top := &Candidates{ids: sparse(1 + rng.IntN(8)).IDs}
		for _, r := range rows {
			r.top = top
			machine.observed(r)
		}
		u := sparse(1 + rng.IntN(n/2))
		known := sparse(1 + rng.IntN(4))
		p := machine.pusher(rows)
		machine.weigh(&p, u)
		got := machine.narrowed(&p, known, u)
		for _, c := range top.ids {
			p.places[c] = 0
		}
		for e := range int32(n) {
			best := float32(0)
			for _, c := range u.IDs {
				links := func(r *AtomRows) bool {
					return m.Graph.Has(graph.EntityID(c), r.relation, graph.EntityID(e)) != r.negated
				}
				if links(rows[0]) && links(rows[len(rows)-1]) {
					best = max(best, u.At(c))
				}
			}
			if want := best * known.At(e); got.At(e) != want {
				t.Fatalf("round %d: entity %d has degree %v, want %v", round, e, got.At(e), want)
			}
		}
		for _, c := range u.IDs {
			if lookUp*len(known.IDs) < len(m.Graph.Tails(graph.EntityID(c), rows[0].relation)) {
				looked++
			}
		}
	}
	if looked < 20 {
		t.Errorf("%d heads have many more tails than there are entities to narrow, want at least 20", looked)
	}
}

// TestPushWorkers checks that the branches of a push are the same to the bit for any number of workers, and whichever
// of them evaluates a branch.
func TestPushWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 2))
	m := linked(t, rng)
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(uncached(m), &state)
	for round := range 20 {
		top := &Candidates{ids: sparseSet(rng, 1+rng.IntN(8)).IDs}
		rows := []*AtomRows{{relation: graph.RelationID(rng.IntN(4)), top: top}, {relation: graph.RelationID(rng.IntN(4)), top: top, negated: round%3 == 0}}[:1+round%2]
		var known, of []*fuzzy.Set
		for range narrowBlock + 1 + rng.IntN(narrowBlock) {
			known = append(known, sparseSet(rng, rng.IntN(20)))
			of = append(of, sparseSet(rng, rng.IntN(narrowEntities/2)))
		}
		push := func(workers *pool.Pool) (degrees [][]float32) {
			machine.Start(m, model.Degrees{Negation: 1}, Want{})
			state.Workers = workers
			for _, r := range rows {
				machine.observed(r)
			}
			s := &Set{made: origin{op: push, of: &Set{each: of}, with: []*Set{{each: known}}, rows: rows}}
			machine.push(s, false)
			for _, x := range s.each {
				all := make([]float32, narrowEntities)
				x.Dense(all)
				degrees = append(degrees, all)
			}
			return degrees
		}
		want := push(nil)
		same := func(got [][]float32) bool { return slices.EqualFunc(got, want, slices.Equal[[]float32]) }

		own := machine.narrow
		machine.narrow = func(_, i int) { machine.narrowSome(i%len(machine.helpers), i) }
		for len(machine.helpers) < 3 {
			machine.helpers = append(machine.helpers, &work{})
		}
		if !same(push(nil)) {
			t.Errorf("round %d: degrees depend on who evaluates a branch", round)
		}
		machine.narrow = own
		for _, size := range []int{2, 4} {
			workers := pool.New(size)
			if !same(push(workers)) {
				t.Errorf("round %d: with %d workers, degrees differ from those with one", round, size)
			}
			workers.Close()
		}
	}
}
