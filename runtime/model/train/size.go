package train

import (
	"cmp"

	"github.com/efoc/efoc/runtime/model/graph"
)

// Size holds everything that the time and memory of a training depend on, besides its options.
type Size struct {
	// Entities and Relations are counts; relations are directed.
	Entities, Relations int
	// Facts is the number of facts to train on.
	Facts int
	// Queries is the number of pairs of a head and a directed relation with facts; 0 if unknown, which counts as one
	// per fact and direction.
	Queries int
	// Ranked reports whether facts are ranked, in validations or at the end.
	Ranked bool
}

// SizeOf returns the size of a training on a graph.
func SizeOf(g *graph.Graph, ranked bool) Size {
	return Size{Entities: g.NumEntities(), Relations: g.NumRelations(), Facts: g.NumTriples(), Queries: countQueries(g), Ranked: ranked}
}

// Steps estimates the number of steps in an epoch: the batches of its examples, two per fact.
func (o Options) Steps(s Size) int { return max(1, (2*s.Facts+o.Batch-1)/o.Batch) }

// Candidates returns the number of entities in the softmax of a step.
func (o Options) Candidates(entities int) int {
	if o.Negatives > 0 {
		return min(o.Negatives, entities)
	}
	return entities
}

func (o Options) width() int { return 2 * roundUp(o.Rank) }

// Work estimates the arithmetic operations of a step, for comparing trainings, not for predicting their time.
func (o Options) Work(s Size) float64 {
	// Three products with a multiplication and an addition in each. Updating a number, with a square root and a
	// division, costs as much as some dozens of these.
	const update = 60
	queries := float64(o.Batch)
	width := float64(o.width())
	work := width * float64(o.Candidates(s.Entities)) * (6*queries + update)
	if o.Relations > 0 {
		work += width * float64(s.Relations) * 6 * queries
	}
	return work + width*update*(float64(s.Relations)+4*queries)
}

// Memory estimates the peak memory of a training with the given number of threads, in bytes: tables, sums of squares,
// the best model so far, those of earlier members, the order of the examples, and the buffers of a step or a ranking.
// Writing the final model takes less.
func (o Options) Memory(s Size, threads int) int64 {
	const number = 4
	row := int64(newMatrix(0, o.width()).stride) * number
	rows := int64(s.Entities + s.Relations)
	tables := 2 * rows * row
	if s.Ranked {
		tables += rows * row
	}
	if members := int64(o.Members); members > 1 { // before the last one; then all, and all side by side
		tables = max(tables+(members-1)*rows*row, 2*members*rows*row)
	}
	batch := int64(roundUp(o.Batch))
	candidates := int64(o.Candidates(s.Entities))
	workers := int64(max(1, threads))
	step := candidates*(batch+lanes)*number + 6*batch*row
	step += workers * gradientRows * (batch*number + 2*row) // packed
	if o.Negatives > 0 && o.Negatives < s.Entities {
		step += candidates * row // gathered candidates
	}
	if o.Relations > 0 {
		step += int64(s.Relations)*(batch+lanes)*number + 6*batch*row
	}
	if s.Ranked {
		step += 2*testBatch*row + workers*blockRows*(testBatch*number+row)
	}
	queries := int64(cmp.Or(s.Queries, 2*s.Facts))
	// For each entity its index and uses; for each example the target, in order and in the epoch's order; for each
	// query the offset of its targets, and its position in the epoch.
	return tables + step + 8*int64(s.Entities) + 2*int64(s.Facts)*8 + queries*24
}
