package train

import (
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// ranking computes filtered ranks. It computes scores a block of entities at a time and only counts them, so that its
// memory does not grow with the entities. It reuses its memory between batches.
type ranking struct {
	entities *matrix
	known    *graph.Graph
	workers  *pool.Pool
	queries  matrix
	rows     matrix // of the targets
	own      matrix // the scores of all targets, a row for each
	targets  []float32
	tails    [][]int32 // of known facts
	asked    product.Right
	parts    []rankingPart // by worker
}

// rankingPart is the memory of a worker.
type rankingPart struct {
	left   product.Left
	scores matrix
	counts []float64
}

func newRanking(entities *matrix, known *graph.Graph, workers *pool.Pool) *ranking {
	r := &ranking{
		entities: entities, known: known, workers: workers, targets: make([]float32, testBatch),
		queries: newMatrix(testBatch, entities.width), rows: newMatrix(testBatch, entities.width), own: newMatrix(testBatch, testBatch),
		tails: make([][]int32, testBatch),
		parts: make([]rankingPart, workers.Size()),
	}
	for i := range r.parts {
		r.parts[i].scores = newMatrix(blockRows, testBatch)
		r.parts[i].counts = make([]float64, testBatch)
	}
	return r
}

// ranks returns the filtered rank of each example of a batch.
func (r *ranking) ranks(batch [][3]int32, relations *matrix) []float64 {
	for i, x := range batch {
		kernels.Project(r.queries.row(i), r.entities.row(int(x[0])), relations.row(int(x[1])), false, false)
		copy(r.rows.row(i), r.entities.row(int(x[2])))
		r.tails[i] = r.known.Tails(graph.EntityID(x[0]), graph.RelationID(x[1]))
	}
	// Ranks are by float32 scores. The score of a target is bit-identical to its score within its block.
	r.asked.Pack(r.queries.view(0, len(batch)).T(), product.Three)
	first := &r.parts[0]
	first.left.Pack(r.rows.view(0, len(batch)), product.Three)
	product.Mul(r.own.data, r.own.stride, &first.left, &r.asked)
	for i := range batch {
		r.targets[i] = r.own.row(i)[i]
	}
	for i := range r.parts {
		clear(r.parts[i].counts)
	}
	blocks := (r.entities.rows + blockRows - 1) / blockRows
	r.workers.Each(blocks, func(worker, b int) { r.count(&r.parts[worker], b*blockRows, batch) })
	ranks := make([]float64, len(batch))
	for i := range ranks {
		// The target itself has been counted as one half.
		ranks[i] = 0.5
		for _, p := range r.parts {
			ranks[i] += p.counts[i]
		}
	}
	return ranks
}

// count counts, for each target, the entities of the block from lo on that score higher, and half of those that score
// the same, without the tails of known facts.
func (r *ranking) count(p *rankingPart, lo int, batch [][3]int32) {
	rows := min(blockRows, r.entities.rows-lo)
	p.left.Pack(r.entities.view(lo, rows), product.Three)
	product.Mul(p.scores.data, p.scores.stride, &p.left, &r.asked)
	counts := p.counts[:len(batch)]
	targets := r.targets[:len(batch)]
	for e := range rows {
		countAbove(counts, p.scores.row(e), targets)
	}
	for i, x := range batch {
		tails := r.tails[i]
		at, _ := slices.BinarySearch(tails, int32(lo))
		for ; at < len(tails) && int(tails[at]) < lo+rows; at++ {
			if tails[at] == x[2] {
				continue
			}
			var one [1]float64
			countAbove(one[:], p.scores.row(int(tails[at]) - lo)[i:], targets[i:])
			counts[i] -= one[0]
		}
	}
}

// countAbove adds 1 to counts[i] if scores[i] is above targets[i] or NaN, and ½ if they are equal.
func countAbove(counts []float64, scores, targets []float32) {
	for i := range counts {
		score := scores[i]
		target := targets[i]
		if !(score < target) {
			if score == target {
				counts[i] += 0.5
			} else {
				counts[i]++
			}
		}
	}
}
