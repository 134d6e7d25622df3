package anycq

import (
	"cmp"
	"slices"
)

// f1 returns the F1 score of a question if answers from a score on are accepted, 0 if none
// that is right is, as the benchmark's programs compute it.
func (r *Result) f1(accept float32) float64 {
	count := func(scores []float32) (n float64) {
		for _, s := range scores {
			if s >= accept {
				n++
			}
		}
		return n
	}
	right, wrong := count(r.Positive), count(r.Negative)
	if right == 0 {
		return 0
	}
	precision, recall := right/(right+wrong), right/float64(len(r.Positive))
	return 2 / (1/precision + 1/recall)
}

// auc returns the share of pairs of a positive and a negative answer in which the positive
// one has the greater score; equal ones count half.
func (r *Result) auc() float64 {
	sum := 0.0
	for _, p := range r.Positive {
		for _, n := range r.Negative {
			switch cmp.Compare(p, n) {
			case 1:
				sum++
			case 0:
				sum += 0.5
			}
		}
	}
	return sum / float64(max(1, len(r.Positive)*len(r.Negative)))
}

// meanF1 returns the mean over questions; those without an answer have 0.
func meanF1(results []*Result, accept float32) float64 {
	sum := 0.0
	for _, r := range results {
		sum += r.f1(accept)
	}
	return sum / float64(max(1, len(results)))
}

// retrievalF1 returns the F1 score of retrieval if answers from a score on are accepted: the
// precision counts questions without answer as wrong, the recall is over those with one.
func retrievalF1(results []*Result, accept float32) float64 {
	right, wrong, all := 0.0, 0.0, 0.0
	for _, r := range results {
		accepted := r.Unanswered == "" && r.Score >= accept
		switch {
		case r.Label != None:
			all++
			if accepted && r.Right {
				right++
			}
		case accepted:
			wrong++
		}
	}
	if right == 0 {
		return 0
	}
	return 2 / ((right+wrong)/right + all/right)
}

// kinds returns the kinds of the results in order.
func kinds(results []Result) []string {
	var list []string
	for _, r := range results {
		if !slices.Contains(list, r.Kind) {
			list = append(list, r.Kind)
		}
	}
	return list
}

func ofKind(results []Result, kind string) []*Result {
	var list []*Result
	for i := range results {
		if results[i].Kind == kind {
			list = append(list, &results[i])
		}
	}
	return list
}
