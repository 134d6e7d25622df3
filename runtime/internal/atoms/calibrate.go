package atoms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// The temperatures that Calibrate tries, and its bounds.
var calibrateAt = []float64{0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.9, 1.1, 1.4, 1.8}

const (
	// shrink is the weight of the average over all relations, in facts.
	shrink = 20
	// rowsEach bounds the rows per directed relation, rowsTogether the rows at a time.
	rowsEach     = 150
	rowsTogether = 64
)

// Calibrate returns, for each directed relation, a temperature factor for Manifest.Temperatures. It fits the factors
// to facts that the observed graph lacks, such as a validation split.
//
// The loss of a fact r(h,t) at temperature τ is −log of the share of t in the softmax over the entities to which h
// has no other link by r, neither observed nor among the facts. Scores include the manifest's terms, see
// FitScoreTerms, unless its settings leave regularities out. A relation's temperature minimises the loss of its own
// facts plus 20 average ones of all relations; its factor is the ratio to the best common temperature. To tune truth
// degrees as a whole, use Degrees.Temperature. progress, if not nil, receives the number of rows done and the total.
func Calibrate(ctx context.Context, m *model.Model, facts []graph.Triple, progress func(done, total int)) (factors []float64, err error) {
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	defer pool.Catch(&err)
	wanted, tails, err := calibrationRows(m, facts, rowsEach)
	if err != nil {
		return nil, err
	}
	losses := make([][]float64, m.NumRelations())
	counts := make([]float64, m.NumRelations())
	mean := make([]float64, len(calibrateAt))
	total := 0.0
	for r := range losses {
		losses[r] = make([]float64, len(calibrateAt))
	}
	k := newMaker(m)
	scratch := make([][]float32, m.Pool().Size())
	n := m.NumEntities()
	done := 0
	terms := scaleOf(m, new(m.Manifest.Settings.Degrees.OrDefault())).terms
	for keys := range slices.Chunk(wanted, rowsTogether) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k.sweep(keys)
		each := make([][]float64, len(keys))
		m.Pool().Each(len(keys), func(worker, i int) {
			scratch[worker] = reuse.Slice(scratch[worker], n)
			addScoreTerms(m, terms, keys[i], k.score(i))
			each[i] = calibrationLoss(k.score(i), m.Graph.Tails(graph.EntityID(keys[i].H), keys[i].R), tails[keys[i]], scratch[worker])
		})
		for i, x := range keys {
			count := float64(len(tails[x]))
			counts[x.R] += count
			total += count
			for j, loss := range each[i] {
				losses[x.R][j] += loss
				mean[j] += loss
			}
		}
		done += len(keys)
		if progress != nil {
			progress(done, len(wanted))
		}
	}
	for j := range mean {
		mean[j] /= total
	}
	return temperatureFactors(losses, counts, mean), nil
}

// temperatureFactors returns the factors of relations, given their losses at each temperature, their numbers of
// facts, and the mean loss of a fact.
func temperatureFactors(losses [][]float64, counts, mean []float64) []float64 {
	all := lowest(mean)
	factors := make([]float64, len(losses))
	for r := range factors {
		factors[r] = 1
		if counts[r] > 0 {
			for j := range mean {
				losses[r][j] += shrink * mean[j]
			}
			factors[r] = lowest(losses[r]) / all
		}
	}
	return factors
}

// calibrationRows returns the rows to read the facts from, in both directions, at most each rows per directed
// relation, and the ascending tails of each row. It leaves out observed facts.
func calibrationRows(m *model.Model, facts []graph.Triple, each int) ([]Key, map[Key][]int32, error) {
	tails := map[Key][]int32{}
	for _, f := range facts {
		n := graph.EntityID(m.NumEntities())
		relations := int32(m.NumRelations() / 2)
		if f.Head < 0 || f.Head >= n || f.Tail < 0 || f.Tail >= n || f.Relation < 0 || f.Relation >= relations {
			return nil, nil, fmt.Errorf("fact %v is not of the model's %d entities and %d relations", f, n, relations)
		}
		r := graph.RelationID(2 * f.Relation)
		if m.Graph.Has(f.Head, r, f.Tail) {
			continue
		}
		there := Key{H: int32(f.Head), R: r}
		back := Key{H: int32(f.Tail), R: r.Inverse()}
		tails[there], tails[back] = append(tails[there], int32(f.Tail)), append(tails[back], int32(f.Head))
	}
	if len(tails) == 0 {
		return nil, nil, errors.New("there is no fact that the observed graph lacks: want those of a validation split")
	}
	byRelation := make([][]Key, m.NumRelations())
	for x, list := range tails {
		slices.Sort(list)
		tails[x] = slices.Compact(list)
		byRelation[x.R] = append(byRelation[x.R], x)
	}
	var wanted []Key
	for _, keys := range byRelation {
		slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.H, b.H) })
		count := min(each, len(keys))
		for i := range count {
			wanted = append(wanted, keys[i*len(keys)/count])
		}
	}
	return wanted, tails, nil
}

// calibrationLoss returns the total loss of the tails of a row at each temperature. exps is scratch space for as many
// numbers as scores.
func calibrationLoss(scores []float32, observed, tails []int32, exps []float32) []float64 {
	top := simd.Max(scores)
	losses := make([]float64, len(calibrateAt))
	for j, at := range calibrateAt {
		simd.Scale(exps, scores, float32(1/at))
		sum := float64(simd.ExpSum(exps, exps, top/float32(at)))
		rest := sum
		for _, t := range observed {
			rest -= float64(exps[t])
		}
		for _, t := range tails {
			rest -= float64(exps[t])
		}
		rest = max(rest, 1e-9*sum) // for rounding errors near 0
		for _, t := range tails {
			share := max(float64(exps[t]), 1e-30*sum)
			losses[j] -= math.Log(share / (rest + share))
		}
	}
	return losses
}

// lowest returns the temperature of the lowest loss: the vertex of the parabola through the least value and its
// neighbours, over log τ.
func lowest(losses []float64) float64 {
	i := slices.Index(losses, slices.Min(losses))
	if i == 0 || i == len(losses)-1 {
		return calibrateAt[i]
	}
	x := func(j int) float64 { return math.Log(calibrateAt[j]) }
	before := (losses[i] - losses[i-1]) / (x(i) - x(i-1))
	after := (losses[i+1] - losses[i]) / (x(i+1) - x(i))
	curve := (after - before) / (x(i+1) - x(i-1))
	if !(curve > 0) {
		return calibrateAt[i]
	}
	return math.Exp((x(i-1)+x(i))/2 - before/(2*curve))
}
