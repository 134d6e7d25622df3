package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/efoc/efoc/runtime/model/train"
)

// Begin holds facts out, plans the training, and starts a run or resumes the one in the checkpoint.
func (j *Job) Begin(ctx context.Context) error {
	j.warnUnseen()
	j.holdOut()
	if err := j.begin(ctx); err != nil {
		return err
	}
	j.Report = newReport(j)
	j.Out.Note("%s", j.Report.plan())
	return nil
}

// warnUnseen names relations and counts entities that nothing can be learnt about.
func (j *Job) warnUnseen() {
	relations, entities := j.Data.Unseen()
	if len(relations) > 0 {
		const most = 5
		var names []string
		for _, r := range relations[:min(most, len(relations))] {
			names = append(names, strconv.Quote(j.Data.Relations.Name(r)))
		}
		text := strings.Join(names, ", ")
		if more := len(relations) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		j.Out.Warn("relations without a fact in the observed graph, about which nothing is learnt: %s", text)
	}
	if entities > 0 {
		j.Out.Warn("%d of %d entities are in no fact of the observed graph: nothing is learnt of them", entities, j.Data.Entities.Len())
	}
}

// begin starts a run or resumes the one in the checkpoint.
func (j *Job) begin(ctx context.Context) error {
	d := j.Data
	g, err := d.Graph(d.Train)
	if err != nil {
		return err
	}
	j.tests.graph = g
	known, err := d.Graph(d.Train, d.Valid, d.Test)
	if err != nil {
		return err
	}
	var sample *train.Test
	if len(d.Valid) > 0 {
		j.tests.valid = train.NewTest(d.Valid, known)
		sample = j.tests.valid.Sample(validFacts, 1)
	}
	if len(d.Test) > 0 {
		j.tests.test = train.NewTest(d.Test, known)
	}
	if j.Resume {
		return j.resume(sample)
	}
	if _, err := os.Stat(j.Checkpoint); !errors.Is(err, fs.ErrNotExist) && !j.Restart {
		return usagef("%s is the checkpoint of a training that has not finished: continue with --resume, or start again with --restart", j.Checkpoint)
	}
	return j.start(ctx, sample)
}

// start plans and starts a new run.
func (j *Job) start(ctx context.Context, sample *train.Test) error {
	g := j.tests.graph
	o, s := j.Given.options(g.NumEntities(), j.Data.Relations.Len(), g.NumTriples())
	if err := errors.Join(o.Validate(), s.Validate()); err != nil {
		return UsageError{err}
	}
	p, err := j.plan(ctx, o, s)
	if err != nil {
		return err
	}
	j.expect(p, memoryNow())
	j.run, err = train.NewRun(g, p.options, p.schedule, sample, j.Threads)
	return err
}

// resume resumes a run. Given settings must not contradict the run's.
func (j *Job) resume(sample *train.Test) error {
	before := memoryNow()
	run, err := train.Resume(j.Checkpoint, j.tests.graph, sample, j.Threads)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; a training that has finished removes its checkpoint: leave out --resume to train again", err)
	}
	if err != nil {
		return err
	}

	o := run.Options()
	s := run.Schedule
	j.Given.apply(&o, &s)
	if text := o.Differences(run.Options()); text != "" {
		return usagef("%s was begun with other settings: %s", j.Checkpoint, text)
	}
	if err := s.Validate(); err != nil {
		return UsageError{err}
	}
	more := s.Epochs != run.Schedule.Epochs
	run.Schedule = s
	if more {
		run.Extend(s.Epochs)
	}
	j.run = run
	j.expect(planned{options: run.Options()}, before)
	return nil
}

// checkpointInterval is the time between checkpoints.
const checkpointInterval = 5 * time.Minute

// Train trains until the run is done, and ranks the facts of the splits. It reports at most one epoch per second, and
// the last one.
func (j *Job) Train(ctx context.Context) error {
	var told time.Time
	untold := ""
	tell := func() {
		if untold != "" {
			j.Out.Note("%s", untold)
			told = time.Now()
			untold = ""
		}
	}
	err := j.run.Do(ctx, train.Checkpoints{Path: j.Checkpoint, Interval: checkpointInterval}, train.Hooks{
		Step: func() { j.Out.Step(j.run) },
		Epoch: func(p train.Point) {
			untold = epochText(p)
			if time.Since(told) >= time.Second {
				tell()
			}
		},
		Member: func() {
			tell()
			all := j.run.Options().Members
			j.Out.Note("member %d of %d: epoch %d is the best", all-j.run.Left()+1, all, j.run.Best())
		},
		Unsaved: func(err error) {
			j.Out.Note("warning: %v; training goes on, and the checkpoint before stays as it is", err)
		},
	})
	tell()
	if err != nil {
		return j.Stopped(err)
	}
	j.Report.finish(j.run)
	return j.evaluate(ctx)
}

// Stopped adds the state of an interrupted job to its error.
func (j *Job) Stopped(err error) error {
	if _, missing := os.Stat(j.Checkpoint); missing != nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		done, all := j.run.Trainer.Steps()
		j.Out.Note("efoc: stopped after %d epochs and %d of %d steps; go on with --resume", j.run.Trainer.Epoch(), done, all)
		return err
	}
	then := "once that is put right, go on with --resume"
	if errors.Is(err, train.ErrDiverged) {
		then = "start again with --restart and a lower --trainer rate"
	}
	return fmt.Errorf("%w; the last checkpoint, %s, is as it was: %s", err, j.Checkpoint, then)
}
