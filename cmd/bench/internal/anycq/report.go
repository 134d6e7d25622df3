package anycq

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
)

// Report sums up the results of a set, by kind.
type Report struct {
	Task Task `json:"task"`
	// Model, Questions and Semantics name what was evaluated.
	Model     eval.ModelInfo `json:"model"`
	Questions string         `json:"questions"`
	Semantics string         `json:"semantics"`
	// Accept is the score from which on an answer is accepted.
	Accept  float32       `json:"accept"`
	Timeout time.Duration `json:"timeout_ns"`
	Rows    []Row         `json:"rows"`
	// Reasons count the questions that were not answered, by why.
	Reasons map[string]int `json:"unanswered,omitempty"`
	Seconds float64        `json:"seconds"`
}

// Row is the result of the questions of one kind. Shares are from 0 to 1.
type Row struct {
	Kind string `json:"kind"`
	// Questions counts them, Unanswered those without an answer within the time and the
	// limits, which count as 0 in F1, recall and retrieval and not at all in AUC and MRR.
	Questions  int `json:"questions"`
	Unanswered int `json:"unanswered"`
	// Slowest is the time of the slowest question.
	Slowest time.Duration `json:"slowest_ns"`

	Classified *Classified `json:"classification,omitempty"`
	Retrieved  *Retrieved  `json:"retrieval,omitempty"`
}

// Classified is what classification reports.
type Classified struct {
	// F1 is the mean over questions.
	F1  float64 `json:"f1"`
	AUC float64 `json:"auc"`
	// PositiveMRR and NegativeMRR are of ranks among all entities.
	PositiveMRR float64 `json:"mrr_positive"`
	NegativeMRR float64 `json:"mrr_negative"`
	// Easy and Hard count positive answers that observed facts give and that they do not,
	// and RecallEasy and RecallHard are the shares that were accepted.
	Easy       int     `json:"easy"`
	Hard       int     `json:"hard"`
	RecallEasy float64 `json:"recall_easy"`
	RecallHard float64 `json:"recall_hard"`
}

// Retrieved is what retrieval reports.
type Retrieved struct {
	// F1 has the precision over accepted answers, of which those to questions without one
	// are wrong, and the recall over questions with one.
	F1 float64 `json:"f1"`
	// Easy and Hard count questions that observed facts answer and that they do not, None
	// those without answer. RecallEasy and RecallHard are the shares with a right and
	// accepted answer, RightEasy and RightHard those with a right one.
	Easy       int     `json:"easy"`
	Hard       int     `json:"hard"`
	None       int     `json:"none"`
	RecallEasy float64 `json:"recall_easy"`
	RecallHard float64 `json:"recall_hard"`
	RightEasy  float64 `json:"right_easy"`
	RightHard  float64 `json:"right_hard"`
}

// Summarize sums results up.
func Summarize(task Task, results []Result, accept float32) *Report {
	r := &Report{Task: task, Accept: accept, Reasons: map[string]int{}}
	for _, kind := range kinds(results) {
		of := ofKind(results, kind)
		row := Row{Kind: kind, Questions: len(of)}
		for _, x := range of {
			row.Slowest = max(row.Slowest, x.Time)
			if x.Unanswered != "" {
				row.Unanswered++
				r.Reasons[x.Unanswered]++
			}
		}
		if task == Retrieval {
			row.Retrieved = retrieved(of, accept)
		} else {
			row.Classified = classified(of, accept)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func classified(results []*Result, accept float32) *Classified {
	c := &Classified{F1: meanF1(results, accept)}
	answered, easy, hard := 0.0, 0.0, 0.0
	for _, r := range results {
		if r.Unanswered != "" {
			continue
		}
		answered++
		c.AUC += r.auc()
		c.PositiveMRR += eval.MRR(r.PositiveRanks)
		c.NegativeMRR += eval.MRR(r.NegativeRanks)
		for i, s := range r.Positive {
			switch {
			case r.Easy == nil:
				continue
			case r.Easy[i]:
				c.Easy++
			default:
				c.Hard++
			}
			if s >= accept && r.Easy[i] {
				easy++
			} else if s >= accept {
				hard++
			}
		}
	}
	for _, x := range []*float64{&c.AUC, &c.PositiveMRR, &c.NegativeMRR} {
		*x /= max(1, answered)
	}
	c.RecallEasy, c.RecallHard = easy/float64(max(1, c.Easy)), hard/float64(max(1, c.Hard))
	return c
}

func retrieved(results []*Result, accept float32) *Retrieved {
	r := &Retrieved{F1: retrievalF1(results, accept)}
	for _, x := range results {
		n, right, recall := &r.Easy, &r.RightEasy, &r.RecallEasy
		switch x.Label {
		case None:
			r.None++
			continue
		case Hard:
			n, right, recall = &r.Hard, &r.RightHard, &r.RecallHard
		}
		*n++
		if x.Right {
			*right++
		}
		if x.Right && x.Score >= accept {
			*recall++
		}
	}
	r.RightEasy, r.RecallEasy = r.RightEasy/float64(max(1, r.Easy)), r.RecallEasy/float64(max(1, r.Easy))
	r.RightHard, r.RecallHard = r.RightHard/float64(max(1, r.Hard)), r.RecallHard/float64(max(1, r.Hard))
	return r
}

// Table has a row for each kind.
func (r *Report) Table() eval.Table {
	if r.Task == Retrieval {
		t := eval.Table{Header: []string{"kind", ">questions", ">unanswered", ">F1", ">easy", ">right", ">recall", ">hard", ">right", ">recall",
			">none", ">slowest"}}
		for _, row := range r.Rows {
			x := row.Retrieved
			t.Rows = append(t.Rows, tables.Row{row.Kind, row.Questions, row.Unanswered, share(x.F1), x.Easy, share(x.RightEasy), share(x.RecallEasy),
				x.Hard, share(x.RightHard), share(x.RecallHard), x.None, row.Slowest.Round(time.Millisecond)})
		}
		return t
	}
	t := eval.Table{Header: []string{"kind", ">questions", ">unanswered", ">F1", ">AUC", ">MRR, positive", ">negative",
		">easy", ">recall", ">hard", ">recall", ">slowest"}}
	for _, row := range r.Rows {
		x := row.Classified
		t.Rows = append(t.Rows, tables.Row{row.Kind, row.Questions, row.Unanswered, share(x.F1), share(x.AUC), share(x.PositiveMRR), share(x.NegativeMRR),
			x.Easy, share(x.RecallEasy), x.Hard, share(x.RecallHard), row.Slowest.Round(time.Millisecond)})
	}
	return t
}

func share(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// Facts returns what was evaluated and how: pairs of a name and its value.
func (r *Report) Facts() []tables.Row {
	task := "classification"
	if r.Task == Retrieval {
		task = "retrieval"
	}
	facts := []tables.Row{
		{"task", "AnyCQ's query answer " + task},
		{"model", fmt.Sprintf("%s, %s", r.Model.Name, r.Model.File)},
		{"questions", r.Questions},
		{"semantics", r.Semantics},
		{"time for a question", r.Timeout.String()},
		{"accepted", fmt.Sprintf("from a score of %v on", r.Accept)},
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		facts = append(facts, tables.Row{"unanswered", fmt.Sprintf("%d: %s", r.Reasons[reason], reason)})
	}
	return facts
}
