package eval

import (
	"fmt"
	"slices"
)

// Ranks returns the filtered rank of each hard answer, given the scores of all n entities: 1,
// plus 1 for every entity with a greater score and a half for every one with the same, among
// those that are neither hard nor filtered. Both lists are ascending. It takes one pass over
// the scores, and fails if one is NaN.
func Ranks(scores []float32, hard, filtered []int32) ([]float64, error) {
	levels := make([]float32, len(hard))
	for i, e := range hard {
		levels[i] = scores[e]
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	above := make([]int, len(levels)+1)
	equal := make([]int, len(levels))
	// count counts a score n times: above[j] counts those above exactly the first j
	// levels, equal[i] those on level i.
	count := func(s float32, n int) {
		if len(levels) == 0 || s < levels[0] {
			return
		}
		at, on := slices.BinarySearch(levels, s)
		if on {
			equal[at] += n
		}
		above[at] += n
	}
	for e, s := range scores {
		if s != s {
			return nil, fmt.Errorf("the score of entity %d is not a number", e)
		}
		count(s, 1)
	}
	// Remove the answers that do not compete.
	for _, e := range hard {
		count(scores[e], -1)
	}
	for _, e := range filtered {
		if _, twice := slices.BinarySearch(hard, e); !twice {
			count(scores[e], -1)
		}
	}
	// Convert counts above exactly j levels to counts above j levels or more.
	for j := len(levels) - 1; j >= 0; j-- {
		above[j] += above[j+1]
	}
	ranks := make([]float64, len(hard))
	for i, e := range hard {
		at, _ := slices.BinarySearch(levels, scores[e])
		ranks[i] = 1 + float64(above[at+1]) + float64(equal[at])/2
	}
	return ranks, nil
}

// Metrics are the measures of a ranking, each from 0 to 1.
type Metrics struct {
	// MRR is the mean of 1/rank, Hits1, Hits3 and Hits10 are the shares of the
	// answers whose rank is at most 1, 3 and 10.
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits1"`
	Hits3  float64 `json:"hits3"`
	Hits10 float64 `json:"hits10"`
}

// rankMetrics returns the metrics of one rank.
func rankMetrics(rank float64) Metrics {
	hit := func(k float64) float64 {
		if rank <= k {
			return 1
		}
		return 0
	}
	return Metrics{MRR: 1 / rank, Hits1: hit(1), Hits3: hit(3), Hits10: hit(10)}
}

// MRR returns the mean of 1/rank, 0 without ranks.
func MRR(ranks []float64) float64 { return meanRank(ranks).MRR }

// meanRank returns the mean metrics of ranks.
func meanRank(ranks []float64) Metrics {
	var over mean
	for _, rank := range ranks {
		over.add(rankMetrics(rank))
	}
	return over.value()
}

// mean adds metrics up.
type mean struct {
	sum   Metrics
	count int
}

// add adds one value.
func (m *mean) add(x Metrics) {
	m.sum.MRR += x.MRR
	m.sum.Hits1 += x.Hits1
	m.sum.Hits3 += x.Hits3
	m.sum.Hits10 += x.Hits10
	m.count++
}

// value returns the mean, zero without values.
func (m *mean) value() Metrics {
	n := float64(max(1, m.count))
	return Metrics{m.sum.MRR / n, m.sum.Hits1 / n, m.sum.Hits3 / n, m.sum.Hits10 / n}
}
