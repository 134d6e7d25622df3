package tune

import "math"

// estimate is a mean over queries with its standard error.
type estimate struct{ mean, err float64 }

// estimated returns the mean of values and its standard error, infinite for fewer
// than two.
func estimated(values []float64) estimate {
	n := float64(len(values))
	if n < 2 {
		return estimate{err: math.Inf(1)}
	}
	sum, squares := 0.0, 0.0
	for _, x := range values {
		sum += x
	}
	for _, x := range values {
		squares += (x - sum/n) * (x - sum/n)
	}
	return estimate{sum / n, math.Sqrt(squares / (n - 1) / n)}
}

// certain is what remains of the mean if it was overrated by a standard error.
func (e estimate) certain() float64 { return e.mean - e.err }

// best returns the index of the setting with the greatest certain gain over the
// base, judged by the queries that take names; the base itself if none has one.
// mrr holds a row for each setting with the MRR of each query.
func best(mrr [][]float32, base int, take func(query int) bool) int {
	found, most := base, 0.0
	var gains []float64
	for k, row := range mrr {
		if k == base {
			continue
		}
		gains = gains[:0]
		for q, x := range row {
			if take(q) {
				gains = append(gains, float64(x)-float64(mrr[base][q]))
			}
		}
		if certain := estimated(gains).certain(); certain > most {
			found, most = k, certain
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
func choose(mrr [][]float32, base, folds int) choice {
	queries := len(mrr[base])
	folds = min(folds, queries)
	gains := make([]float64, queries)
	for f := range folds {
		k := best(mrr, base, func(q int) bool { return q%folds != f })
		for q := f; q < queries; q += folds {
			gains[q] = float64(mrr[k][q]) - float64(mrr[base][q])
		}
	}
	c := choice{setting: base, heldOut: estimated(gains)}
	if c.heldOut.certain() > 0 {
		c.setting = best(mrr, base, func(int) bool { return true })
	}
	return c
}
