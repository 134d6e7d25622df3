package train

import (
	"math/rand/v2"

	"github.com/efoc/efoc/runtime/model/graph"
)

// queries are the facts of a graph in both directions, by head and relation.
type queries struct {
	heads, relations []int32
	offsets          []int32 // the targets of query q are [offsets[q], offsets[q+1])
	tails            []int32
}

func newQueries(g *graph.Graph) *queries {
	count := countQueries(g)
	q := &queries{
		heads: make([]int32, 0, count), relations: make([]int32, 0, count), offsets: make([]int32, 0, count+1),
		tails: make([]int32, 0, 2*g.NumTriples()),
	}
	for r := range graph.RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		for i, h := range heads {
			if i == 0 || h != heads[i-1] {
				q.heads = append(q.heads, h)
				q.relations = append(q.relations, int32(r))
				q.offsets = append(q.offsets, int32(len(q.tails)))
			}
			q.tails = append(q.tails, tails[i])
		}
	}
	q.offsets = append(q.offsets, int32(len(q.tails)))
	return q
}

// countQueries returns the number of queries of a graph.
func countQueries(g *graph.Graph) (count int) {
	for r := range graph.RelationID(g.NumRelations()) {
		heads, _ := g.Edges(r)
		for i, h := range heads {
			if i == 0 || h != heads[i-1] {
				count++
			}
		}
	}
	return count
}

// group is a query with some of its targets: tails[start:end] of an epoch.
type group struct{ query, start, end int32 }

// epoch is the order of the examples in an epoch.
type epoch struct {
	tails  []int32
	groups []group
	// steps are the groups of each step: [steps[i], steps[i+1]).
	steps []int32
}

// Streams of random numbers, distinguished by the second half of the seed.
const (
	streamInit = iota
	streamOrder
	streamNegatives
	streamValidation
)

// stream returns the random numbers for a purpose, an epoch and a step.
func (o *Options) stream(purpose, epoch, step int) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed, uint64(purpose)<<62|uint64(epoch)<<31|uint64(step)))
}

// epoch returns the order of an epoch: it splits targets that are too many for one group at random, shuffles the
// groups, and fills each step with groups up to a batch of examples. It reuses the memory of old, which may be nil.
func (q *queries) epoch(o *Options, number int, old *epoch) *epoch {
	rng := o.stream(streamOrder, number, 0)
	size := int32(o.Group)
	if old == nil {
		count := 0
		for i := range q.heads {
			count += int(q.offsets[i+1]-q.offsets[i]+size-1) / o.Group
		}
		old = &epoch{tails: make([]int32, 0, len(q.tails)), groups: make([]group, 0, count)}
	}
	e := &epoch{tails: append(old.tails[:0], q.tails...), groups: old.groups[:0], steps: append(old.steps[:0], 0)}
	for i := range q.heads {
		start := q.offsets[i]
		end := q.offsets[i+1]
		if targets := e.tails[start:end]; len(targets) > o.Group {
			rng.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
		}
		for ; start < end; start += size {
			e.groups = append(e.groups, group{int32(i), start, min(start+size, end)})
		}
	}
	rng.Shuffle(len(e.groups), func(i, j int) { e.groups[i], e.groups[j] = e.groups[j], e.groups[i] })
	examples := 0
	for i, g := range e.groups {
		examples += int(g.end - g.start)
		if examples >= o.Batch || i == len(e.groups)-1 {
			e.steps = append(e.steps, int32(i+1))
			examples = 0
		}
	}
	return e
}
