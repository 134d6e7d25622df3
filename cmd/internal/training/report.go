package training

import (
	"context"
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/train"
)

// Report describes a training; it is written beside the model.
type Report struct {
	Graph     string         `json:"graph"`
	Entities  int            `json:"entities"`
	Relations int            `json:"relations"`
	Facts     int            `json:"facts"`
	Options   train.Options  `json:"options"`
	Schedule  train.Schedule `json:"schedule"`
	Threads   int            `json:"threads"`
	// Kernels names the SIMD level of the products, such as avx512.
	Kernels string         `json:"kernels"`
	Best    int            `json:"best_epoch"`
	Valid   *train.Metrics `json:"valid,omitempty"`
	Test    *train.Metrics `json:"test,omitempty"`
	// Counting are the metrics of the validation facts without a model: see train.Test.Baseline.
	Counting *train.Metrics `json:"counting,omitempty"`
	// Seconds is the time of training, including validations.
	Seconds float64 `json:"seconds"`
	// Memory is the peak memory of the process until the model was written, in bytes.
	Memory int64         `json:"memory_bytes"`
	Curve  []train.Point `json:"curve"`

	early  bool          // the run ended for lack of time, not of improvement
	lower  bool          // a higher rank or more negatives were ruled out for lack of time
	budget time.Duration // given, or the default; 0 for none
	epoch  float64       // the time of an epoch in seconds; 0 if unknown

	examples int // of an epoch
}

// newReport describes a run before its start.
func newReport(j *Job) *Report {
	d := j.Data
	return &Report{
		Graph: d.Name, Entities: d.Entities.Len(), Relations: d.Relations.Len(), Facts: len(d.Train),
		Options: j.run.Options(), Schedule: j.run.Schedule, Threads: j.Threads, Kernels: simd.Engine(),
		budget: j.Budget, epoch: j.epoch, lower: j.lower, examples: 2 * j.tests.graph.NumTriples(),
	}
}

// plan describes the planned training.
func (r *Report) plan() string {
	o := r.Options
	softmax := "softmax over all entities"
	if o.Negatives > 0 && o.Negatives < r.Entities {
		softmax = fmt.Sprintf("softmax over %d entities a step", o.Negatives)
	}
	rate := fmt.Sprint(o.Rate)
	if o.Decay > 0 {
		rate += fmt.Sprintf(" falling over the last %.0f%% of the training", 100*o.Decay)
	}
	most := tables.Number(r.Schedule.Epochs, "epoch")
	if r.Schedule.Seconds > 0 {
		most += " and " + tables.Seconds(r.Schedule.Seconds)
	}
	return fmt.Sprintf("%s: %d entities, %d relations, %d facts\nComplEx of rank %s, %s, batch %d, rate %s, N3 %g, relations %g, seed %d, at most %s, %s",
		r.Graph, r.Entities, r.Relations, r.Facts, rankText(o), softmax, o.Batch, rate, o.N3, o.Relations, o.Seed, most, tables.Number(r.Threads, "thread"))
}

// rankText is the rank of the model, with the number of members if there are several.
func rankText(o train.Options) string {
	if o.Members > 1 {
		return fmt.Sprintf("%d × %d", o.Members, o.Rank)
	}
	return fmt.Sprint(o.Rank)
}

// finish records the outcome of the training.
func (r *Report) finish(run *train.Run) {
	r.Best = run.Best()
	r.Curve = run.Curve
	r.Seconds = run.Seconds()
	r.Schedule = run.Schedule
	r.early = run.Early()
}

// evaluate ranks all facts of the splits.
func (j *Job) evaluate(ctx context.Context) error {
	r := j.Report
	for _, s := range []struct {
		name string
		test *train.Test
		into **train.Metrics
	}{{"validation", j.tests.valid, &r.Valid}, {"test", j.tests.test, &r.Test}} {
		if s.test == nil {
			continue
		}
		m, err := j.run.Evaluate(ctx, s.test, j.Out.progress(s.name))
		if err != nil {
			return err
		}
		*s.into = &m
		if s.test == j.tests.valid {
			counting := s.test.Baseline(j.tests.graph)
			r.Counting = &counting
		}
	}
	return nil
}

// Weak says that the model ranks no better than one without embeddings, and what to do; otherwise it is empty.
func (r *Report) Weak() string {
	if r.Valid == nil || r.Valid.MRR > r.Counting.MRR {
		return ""
	}
	text := fmt.Sprintf("the model has learnt little: its MRR of %.4f on validation facts is no more than the %.4f of counting facts or guessing, so its predictions are worth nothing: ",
		r.Valid.MRR, r.Counting.MRR)
	switch o := r.Options; {
	case r.Best < len(r.Curve):
		text += fmt.Sprintf("longer training did not help: try --rank %d --trainer n3=%.3g, or give it more facts; if the loss rises, --trainer rate=%.3g", max(leastRank, o.Rank/4), max(0.05, 4*o.N3), o.Rate/4)
	case r.budget > 0:
		text += "train longer: --budget " + moreBudget(r.budget, r.epoch)
	default:
		text += fmt.Sprintf("train longer: --epochs %d", max(enoughEpochs, 3*len(r.Curve)))
	}
	return text
}

// Meaning describes the model's quality in a line; it is empty without validation facts.
func (r *Report) Meaning() string {
	if r.Valid == nil {
		return ""
	}
	return fmt.Sprintf("%s: a missing fact is among the ten best answers in %.0f%% of cases (counting: %.0f%%)\n",
		Grade(*r.Valid, *r.Counting), 100*r.Valid.Hits10, 100*r.Counting.Hits10)
}

// More returns the budget for which a better model is likely, in the syntax of --budget; it is empty without a
// budget, or if more time would not help.
func (r *Report) More() string {
	if r.budget == 0 || r.Valid == nil || !r.early && !r.lower {
		return ""
	}
	return moreBudget(r.budget, r.epoch)
}

// Result summarises the training in a line.
func (r *Report) Result() string {
	text := fmt.Sprintf("%s, rank %s, epoch %d of %d", r.Graph, rankText(r.Options), r.Best, len(r.Curve))
	if r.Curve[0].Loss.Examples < r.examples {
		text = fmt.Sprintf("%s, rank %s, a part of an epoch", r.Graph, rankText(r.Options))
	}
	for _, s := range []struct {
		name string
		m    *train.Metrics
	}{{"validation", r.Valid}, {"test", r.Test}} {
		if s.m != nil {
			text += fmt.Sprintf(", %s MRR %.4f, Hits@1 %.4f, @3 %.4f, @10 %.4f", s.name, s.m.MRR, s.m.Hits1, s.m.Hits3, s.m.Hits10)
		}
	}
	return text + fmt.Sprintf(", in %s and %d MB of memory", tables.Seconds(r.Seconds), r.Memory>>20)
}

// epochText describes an epoch in a line.
func epochText(p train.Point) string {
	text := fmt.Sprintf("epoch %d: loss %.4f", p.Epoch, p.Loss.Mean())
	if p.Loss.Relations > 0 {
		text += fmt.Sprintf(", of relations %.4f", p.Loss.Relations/float64(p.Loss.Examples))
	}
	if m := p.Valid; m != nil {
		text += fmt.Sprintf(", validation MRR %.4f, Hits@10 %.4f", m.MRR, m.Hits10)
	}
	return text + ", " + tables.Seconds(p.Seconds)
}
