package atoms

import (
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// The weights that FitScoreTerms tries, starting with 0.
var (
	frequencyWeights = []float64{0, 0.05, 0.1, 0.2, 0.3, 0.5}
	loopWeights      = []float64{0, 0.25, 0.5, 1}
	secondWeights    = []float64{0, 0.1, 0.25, 0.5, 0.75, 1}
)

const (
	// leastGain is the least reduction of a fact's mean loss for a nonzero weight.
	leastGain = 0.01
	// mostTermRows and leastTermRows bound the number of rows that weights are fitted to; in between, termWork bounds
	// the number of exponentials.
	mostTermRows, leastTermRows = 3000, 200
	termWork                    = 4e10
)

// FitScoreTerms returns the weights of regularities for Manifest.ScoreTerms, fitted to facts that the observed graph
// lacks, such as a validation split.
//
// Frequency and Loop minimise the loss of Calibrate, each pair of weights at its best temperature. Second minimises
// the loss of a head among all heads that have tails: the probability that a head lacks another tail is proportional
// to its number of tails, times the factor.
func FitScoreTerms(ctx context.Context, m *model.Model, facts []graph.Triple) (s model.ScoreTerms, err error) {
	if err := m.Hold(); err != nil {
		return s, err
	}
	defer m.Release()
	defer pool.Catch(&err)
	wanted, tails, err := calibrationRows(m, facts, math.MaxInt)
	if err != nil {
		return s, err
	}
	count := TermRows(m, len(wanted))
	for i := range count {
		wanted[i] = wanted[i*len(wanted)/count]
	}
	losses, err := termLosses(ctx, m, wanted[:count], tails)
	if err != nil {
		return s, err
	}
	of := 0.0
	for _, x := range wanted[:count] {
		of += float64(len(tails[x]))
	}
	if i := bestWeight(losses, of); i > 0 {
		s.Frequency = frequencyWeights[i/len(loopWeights)]
		s.Loop = loopWeights[i%len(loopWeights)]
	}
	s.Second = secondWeight(m, facts)
	return s, nil
}

// TermRows returns the number of rows, of the given ones, that FitScoreTerms reads.
func TermRows(m *model.Model, rows int) int {
	tried := len(frequencyWeights) * len(calibrateAt)
	affordable := termWork / (tried * m.NumEntities())
	return min(rows, max(leastTermRows, min(mostTermRows, affordable)))
}

// bestWeight returns the index of the least loss, or 0 if its gain is too small for the number of facts.
func bestWeight(losses []float64, facts float64) int {
	i := slices.Index(losses, slices.Min(losses))
	if losses[0]-losses[i] < leastGain*facts {
		return 0
	}
	return i
}

// termLosses returns the loss of the tails of rows for each weight of frequency and, in turn, of loops.
func termLosses(ctx context.Context, m *model.Model, wanted []Key, tails map[Key][]int32) ([]float64, error) {
	k := newMaker(m)
	rooms := make([]termRoom, m.Pool().Size())
	sums := make([][]float64, len(frequencyWeights)*len(loopWeights)) // by temperature
	for i := range sums {
		sums[i] = make([]float64, len(calibrateAt))
	}
	for keys := range slices.Chunk(wanted, rowsTogether) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k.sweep(keys)
		each := make([][]float64, len(keys))
		m.Pool().Each(len(keys), func(worker, i int) { each[i] = rooms[worker].losses(m, keys[i], k.score(i), tails[keys[i]]) })
		for _, losses := range each {
			for i, loss := range losses {
				sums[i/len(calibrateAt)][i%len(calibrateAt)] += loss
			}
		}
	}
	best := make([]float64, len(sums))
	for i, byTemperature := range sums {
		best[i] = slices.Min(byTemperature)
	}
	return best, nil
}

// termRoom is a worker's memory.
type termRoom struct {
	scores, exps []float32
}

// losses returns the loss of the tails of a row for each frequency weight, loop weight and temperature.
func (room *termRoom) losses(m *model.Model, x Key, scores []float32, tails []int32) (losses []float64) {
	room.scores, room.exps = reuse.Slice(room.scores, len(scores)), reuse.Slice(room.exps, len(scores))
	known := slices.Concat(m.Graph.Tails(graph.EntityID(x.H), x.R), tails)
	loops := loopLosses{x.H, slices.Contains(known, x.H), tails, &m.Manifest.Regularities[x.R/2]}
	counts := countTails(sortedTails(m.Graph, x.R, false))
	losses = make([]float64, len(frequencyWeights)*len(loopWeights)*len(calibrateAt))
	for i, w := range frequencyWeights {
		copy(room.scores, scores)
		counts.addTo(room.scores, w)
		top := simd.Max(room.scores)
		for j, at := range calibrateAt {
			simd.Scale(room.exps, room.scores, float32(1/at))
			sum := float64(simd.ExpSum(room.exps, room.exps, top/float32(at)))
			rest := sum
			for _, t := range known {
				rest -= float64(room.exps[t])
			}
			for l, u := range loopWeights {
				losses[(i*len(loopWeights)+l)*len(calibrateAt)+j] = loops.loss(room.exps, sum, rest, u, at)
			}
		}
	}
	return losses
}

// loopLosses holds everything that the losses of a row depend on besides its exponentials.
type loopLosses struct {
	head  int32
	known bool // the loop is a fact
	tails []int32
	about *graph.Regularity
}

// loss returns the loss of the tails under a loop weight, given the sum of all exponentials and the sum of those that
// are not facts.
func (x *loopLosses) loss(exps []float32, sum, rest, weight, temperature float64) (loss float64) {
	factor := 1.0
	if weight > 0 {
		factor = math.Exp(model.ScoreTerms{Loop: weight}.LoopScore(x.about) / temperature)
	}
	if !x.known {
		rest -= (1 - factor) * float64(exps[x.head])
	}
	rest = max(rest, 1e-9*sum) // for rounding errors near 0
	for _, t := range x.tails {
		share := float64(exps[t])
		if t == x.head {
			share *= factor
		}
		share = max(share, 1e-30*sum)
		loss -= math.Log(share / (rest + share))
	}
	return loss
}

// secondWeight returns the weight of Second.
func secondWeight(m *model.Model, facts []graph.Triple) float64 {
	lacking := make([]float64, m.NumRelations())
	total := 0.0
	for _, f := range facts {
		r := graph.RelationID(2 * f.Relation)
		if m.Graph.Has(f.Head, r, f.Tail) {
			continue
		}
		for r, e := range map[graph.RelationID]graph.EntityID{r: f.Head, r.Inverse(): f.Tail} {
			if len(m.Graph.Tails(e, r)) > 0 {
				lacking[r]++
				total++
			}
		}
	}
	if total == 0 {
		return 0
	}
	losses := make([]float64, len(secondWeights))
	for i, v := range secondWeights {
		terms := model.ScoreTerms{Second: v}
		all := 0.0
		for r, n := range lacking {
			about := &m.Manifest.Regularities[r/2]
			factor := terms.SecondFactor(about, graph.RelationID(r))
			all += factor * float64(about.Facts)
			losses[i] -= n * math.Log(factor)
		}
		losses[i] += total * math.Log(all)
	}
	return secondWeights[bestWeight(losses, total)]
}
