package tune

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// estimate is a mean over queries with its standard error.
type estimate struct{ mean, err float64 }

// estimated returns the mean of values and its standard error, infinite for fewer
// than two.
func estimated(values []float64) estimate {
	if len(values) < 2 {
		return estimate{err: math.Inf(1)}
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return estimate{mean, stat.StdErr(deviation, float64(len(values)))}
}

// certain is a lower bound of the mean: a standard error below it.
func (e estimate) certain() float64 { return e.mean - e.err }

// table holds what settings have reached.
type table struct {
	// mrr holds a row for each setting with the MRR of each query, base is the row of
	// the model's own.
	mrr  [][]float32
	base int
	// cheaper lists for each row those of settings that do as well, cheapest first, if
	// they are not certainly worse; nil means that none is cheaper than another.
	cheaper func(row int) []int
}

// gain estimates by how much row k is better than another, judged by the queries that
// take selects. room is overwritten.
func (t *table) gain(k, over int, take func(query int) bool, room *[]float64) estimate {
	*room = (*room)[:0]
	for q, x := range t.mrr[k] {
		if take(q) {
			*room = append(*room, float64(x)-float64(t.mrr[over][q]))
		}
	}
	return estimated(*room)
}

// best returns the row of the setting with the greatest certain gain over the base;
// the base itself if none has one. Where a cheaper one is not certainly worse, it
// takes the cheaper one.
func (t *table) best(take func(query int) bool) int {
	found, most := t.base, 0.0
	var room []float64
	for k := range t.mrr {
		if k == t.base {
			continue
		}
		if certain := t.gain(k, t.base, take, &room).certain(); certain > most {
			found, most = k, certain
		}
	}
	if found == t.base || t.cheaper == nil {
		return found
	}
	for _, k := range t.cheaper(found) {
		if t.gain(found, k, take, &room).certain() <= 0 {
			return k
		}
	}
	return found
}

// choice is what is chosen for a shape.
type choice struct {
	// setting is the best, the base unless its gain is certain.
	setting int
	// heldOut is the gain of such choices on queries that had no part in them.
	heldOut estimate
}

// choose picks a setting and examines the pick in folds: query q is in fold
// q mod folds.
func (t *table) choose(folds int) choice {
	queries := len(t.mrr[t.base])
	folds = min(folds, queries)
	gains := make([]float64, queries)
	for f := range folds {
		k := t.best(func(q int) bool { return q%folds != f })
		for q := f; q < queries; q += folds {
			gains[q] = float64(t.mrr[k][q]) - float64(t.mrr[t.base][q])
		}
	}
	c := choice{setting: t.base, heldOut: estimated(gains)}
	if c.heldOut.certain() > 0 {
		c.setting = t.best(func(int) bool { return true })
	}
	return c
}
