package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

// trainReport is the report written beside the model.
type trainReport struct {
	Graph     string         `json:"graph"`
	Entities  int            `json:"entities"`
	Relations int            `json:"relations"`
	Facts     int            `json:"facts"`
	Options   train.Options  `json:"options"`
	Schedule  train.Schedule `json:"schedule"`
	Threads   int            `json:"threads"`
	// Kernels names what computes the products, such as avx512.
	Kernels string         `json:"kernels"`
	Best    int            `json:"best_epoch"`
	Valid   *train.Metrics `json:"valid,omitempty"`
	Test    *train.Metrics `json:"test,omitempty"`
	// Counting are the ranks of the validation facts without a model: see train.Test.Baseline.
	Counting *train.Metrics `json:"counting,omitempty"`
	// ByRelation are the ranks by relation, of the test facts, or of validation
	// where there are none.
	ByRelation []relationMetrics `json:"by_relation,omitempty"`
	// Seconds is the time of training, validations included.
	Seconds float64 `json:"seconds"`
	// Memory is the most that the process has had until the model was written, in bytes.
	Memory int64         `json:"memory_bytes"`
	Curve  []train.Point `json:"curve"`
}

// relationMetrics are the ranks of the facts of a relation, as (h, r, ?) and as
// (?, r, t).
type relationMetrics struct {
	Relation string        `json:"relation"`
	Tails    train.Metrics `json:"tails"`
	Heads    train.Metrics `json:"heads"`
}

// plan describes the training that is about to begin.
func (r *trainReport) plan() string {
	o := r.Options
	softmax := "softmax over all entities"
	if o.Negatives > 0 && o.Negatives < r.Entities {
		softmax = fmt.Sprintf("softmax over %d entities a step", o.Negatives)
	}
	rate := fmt.Sprint(o.Rate)
	if o.Decay > 0 {
		rate += fmt.Sprintf(" falling over the last %d epochs with N3 %.3g", o.Decay, cmp.Or(o.LateN3, o.N3))
	}
	return fmt.Sprintf("%s: %d entities, %d relations, %d facts\nComplEx of rank %d, %s, batch %d, rate %s, N3 %g, relations %g, seed %d, at most %d epochs, %d thread%s",
		r.Graph, r.Entities, r.Relations, r.Facts, o.Rank, softmax, o.Batch, rate, o.N3, o.Relations, o.Seed, r.Schedule.Epochs, r.Threads, pluralS(r.Threads))
}

// finish notes how the training went.
func (r *trainReport) finish(run *train.Run) {
	r.Best, r.Curve, r.Seconds, r.Schedule = run.Best(), run.Curve, run.Seconds(), run.Schedule
}

// evaluate ranks all facts of the splits.
func (r *trainReport) evaluate(ctx context.Context, d *importer.Dataset, run *train.Run, tests trainTests, bar *bar) error {
	for _, s := range []struct {
		name string
		test *train.Test
		into **train.Metrics
	}{{"validation", tests.valid, &r.Valid}, {"test", tests.test, &r.Test}} {
		if s.test == nil {
			continue
		}
		m, each, err := run.Evaluate(ctx, s.test, bar.counter(s.name))
		if err != nil {
			return err
		}
		*s.into = &m
		if s.test == tests.valid {
			counting := s.test.Baseline(tests.graph)
			r.Counting = &counting
		}
		r.ByRelation = nil
		for i := range d.Relations.Len() {
			if each[2*i].Ranks > 0 {
				r.ByRelation = append(r.ByRelation, relationMetrics{d.Relations.Label(int32(i)), each[2*i], each[2*i+1]})
			}
		}
	}
	return nil
}

// weak says that the model ranks no better than one without embeddings, and what to do; it
// is empty for others.
func (r *trainReport) weak() string {
	if r.Valid == nil || r.Valid.MRR > r.Counting.MRR {
		return ""
	}
	text := fmt.Sprintf("the model has learnt little: its MRR of %.4f on validation facts is no more than the %.4f of counting facts or guessing", r.Valid.MRR, r.Counting.MRR)
	if r.Best < len(r.Curve) {
		return text + "; longer training did not help: give it more facts, or try another --rank, or --trainer rate or n3"
	}
	return text + ": train longer, by a greater --budget or more --epochs"
}

// meaning says in a line what the model is worth; it is empty without validation facts.
func (r *trainReport) meaning() string {
	if r.Valid == nil {
		return ""
	}
	return fmt.Sprintf("%s: a missing fact is among the ten best answers in %.0f%% of cases (counting: %.0f%%)\n",
		training.Grade(*r.Valid, *r.Counting), 100*r.Valid.Hits10, 100*r.Counting.Hits10)
}

// endedEarly reports whether more time would have gone on with a training.
func (r *trainReport) endedEarly(run *train.Run) bool {
	patience := run.Schedule.Patience
	return r.Valid != nil && (patience == 0 || run.Waited() < patience/2)
}

// result sums the training up in a line.
func (r *trainReport) result() string {
	text := fmt.Sprintf("%s, rank %d, epoch %d of %d", r.Graph, r.Options.Rank, r.Best, len(r.Curve))
	if len(r.Curve) == 0 {
		text = fmt.Sprintf("%s, rank %d, %d step%s of the first epoch", r.Graph, r.Options.Rank, r.Schedule.Steps, pluralS(r.Schedule.Steps))
	}
	for _, s := range []struct {
		name string
		m    *train.Metrics
	}{{"validation", r.Valid}, {"test", r.Test}} {
		if s.m != nil {
			text += fmt.Sprintf(", %s MRR %.4f, Hits@1 %.4f, @3 %.4f, @10 %.4f", s.name, s.m.MRR, s.m.Hits1, s.m.Hits3, s.m.Hits10)
		}
	}
	return text + fmt.Sprintf(", in %s, %d MB", roundTime(r.Seconds), r.Memory>>20)
}
