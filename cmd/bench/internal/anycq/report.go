package anycq

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
)

// tally is a mean of values from 0 to 1.
type tally struct {
	sum   float64
	count int
}

func (t *tally) add(x float64) {
	t.sum += x
	t.count++
}

// addIf counts 1 if something holds, and 0 otherwise.
func (t *tally) addIf(holds bool) {
	t.count++
	if holds {
		t.sum++
	}
}

// String is the mean in percent.
func (t *tally) String() string { return percent(t.sum / float64(max(1, t.count))) }

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// report returns a row for each kind. It accepts answers whose score is at least accept. A question that was not answered
// within the time and the limits counts as 0 in F1, recall and retrieval, and is left out of AUC and MRR.
func report(task Task, results []Result, accept float32) (header []string, rows []tables.Row) {
	var kinds []string
	of := map[string][]*Result{}
	for i := range results {
		kind := results[i].Kind
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], &results[i])
	}
	figures := classified
	header = []string{">F1", ">AUC", ">MRR, positive", ">negative", ">easy", ">recall", ">hard", ">recall"}
	if task == Retrieval {
		figures = retrieved
		header = []string{">F1", ">easy", ">right", ">recall", ">hard", ">right", ">recall", ">none"}
	}
	for _, kind := range kinds {
		unanswered := 0
		slowest := time.Duration(0)
		for _, r := range of[kind] {
			slowest = max(slowest, r.Time)
			if r.Unanswered != "" {
				unanswered++
			}
		}
		rows = append(rows, slices.Concat(tables.Row{kind, len(of[kind]), unanswered}, figures(of[kind], accept), tables.Row{slowest.Round(time.Millisecond)}))
	}
	return slices.Concat([]string{"kind", ">questions", ">unanswered"}, header, []string{">slowest"}), rows
}

// reasons counts the unanswered questions by reason.
func reasons(results []Result) (rows []tables.Row) {
	count := map[string]int{}
	for _, r := range results {
		if r.Unanswered != "" {
			count[r.Unanswered]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		rows = append(rows, tables.Row{"unanswered", fmt.Sprintf("%d: %s", count[reason], reason)})
	}
	return rows
}

// classified are the figures of classification: F1 is the mean over questions, MRR is of ranks among
// all entities. Positive answers are easy where observed facts give them, otherwise hard; the recall
// is the share of those that were accepted.
func classified(results []*Result, accept float32) tables.Row {
	var f1, auc, positive, negative, easy, hard tally
	for _, r := range results {
		f1.add(r.f1(accept))
		if r.Unanswered != "" {
			continue
		}
		auc.add(r.auc())
		positive.add(eval.MRR(r.PositiveRanks))
		negative.add(eval.MRR(r.NegativeRanks))
		for i, isEasy := range r.Easy {
			recall := &hard
			if isEasy {
				recall = &easy
			}
			recall.addIf(r.Positive[i] >= accept)
		}
	}
	return tables.Row{&f1, &auc, &positive, &negative, easy.count, &easy, hard.count, &hard}
}

// f1 returns the F1 score of a question, 0 if no right answer is accepted, as the benchmark's programs
// compute it.
func (r *Result) f1(accept float32) float64 {
	count := func(scores []float32) (n float64) {
		for _, s := range scores {
			if s >= accept {
				n++
			}
		}
		return n
	}
	right := count(r.Positive)
	wrong := count(r.Negative)
	if right == 0 {
		return 0
	}
	precision := right / (right + wrong)
	recall := right / float64(len(r.Positive))
	return 2 / (1/precision + 1/recall)
}

// auc returns the area under the ROC curve, 0 unless there are positive and negative answers.
func (r *Result) auc() float64 {
	if len(r.Positive) == 0 || len(r.Negative) == 0 {
		return 0
	}
	var scores []float64
	truth := make([]bool, len(r.Positive)+len(r.Negative))
	for i, s := range slices.Concat(r.Positive, r.Negative) {
		scores = append(scores, float64(s))
		truth[i] = i < len(r.Positive)
	}
	return eval.AUC(scores, truth)
}

// retrieved returns the row of retrieval. Precision counts an accepted answer to a question without answers as wrong.
// Recall is over the questions with answers: easy ones, which observed facts answer, and hard ones. Each of the two has a
// column with the share of questions whose best answer is right, and one with the share where it is also accepted.
func retrieved(results []*Result, accept float32) tables.Row {
	right := map[Label]*tally{Easy: {}, Hard: {}}
	recall := map[Label]*tally{Easy: {}, Hard: {}}
	none := 0
	wrong := 0.0
	for _, r := range results {
		accepted := r.Unanswered == "" && r.Score >= accept
		switch {
		case r.Label != None:
			right[r.Label].addIf(r.Right)
			recall[r.Label].addIf(r.Right && accepted)
			continue
		case accepted:
			wrong++
		}
		none++
	}
	f1 := 0.0
	if found := recall[Easy].sum + recall[Hard].sum; found > 0 {
		f1 = 2 / ((found+wrong)/found + float64(len(results)-none)/found)
	}
	return tables.Row{percent(f1), right[Easy].count, right[Easy], recall[Easy], right[Hard].count, right[Hard], recall[Hard], none}
}
