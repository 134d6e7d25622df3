package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

type trainCmd struct {
	Graph  string `arg:"" in:"" help:"Folder of a graph (BetaE, FIT, or train.tsv with entities.tsv and relations.tsv), or a file of triples: TSV, CSV, RDF (Turtle, N-Triples, N-Quads, TriG, JSON-LD), text perhaps compressed."`
	Output string `short:"o" required:"" placeholder:"FILE.efoc" out:"*,%.ckpt,%.train.json" help:"Model to write, with the report FILE.train.json beside it. During training, FILE.ckpt is the checkpoint."`

	newModelFlags
	Valid string `placeholder:"FILE" in:"" help:"Facts that select the best model; by default valid.tsv and the like in the graph's folder, or a tenth of the facts, which the model's graph gets back (see --trainer valid)."`
	Test  string `placeholder:"FILE" in:"" help:"Facts to evaluate that model on; by default test.tsv and the like."`
	holdoutFlag

	Rank    *int           `group:"training" placeholder:"N" help:"Complex numbers in an embedding."`
	Epochs  *int           `group:"training" placeholder:"N" help:"Maximum number of passes over the facts, by each member."`
	Members int            `group:"training" least:"1" placeholder:"N" help:"Predictors to train one after another; the scores of the model are the means of theirs. With --budget, at most as many as have time for enough epochs. 1 by default."`
	Trainer cli.OptionList `group:"training" sep:"none" options:"trainer" placeholder:"NAME=VALUE" help:"Other settings of the training, such as n3=0.1; may be repeated."`

	Budget  time.Duration `group:"course" placeholder:"TIME" help:"Time for reading, training and calibration together, which also determines rank and negatives unless they are given. By default at most 10m, or as long as --epochs takes if that is given."`
	Resume  bool          `group:"course" xor:"again" help:"Continue from the checkpoint."`
	Restart bool          `group:"course" xor:"again" help:"Start again even if there is a checkpoint."`
}

// defaultBudget is the time limit of a training without --budget and --epochs.
const defaultBudget = 10 * time.Minute

// path returns the path of a file beside the output.
func (c *trainCmd) path(suffix string) string { return cli.Beside(c.Output, "%"+suffix) }

func (c *trainCmd) Run(a *app) error {
	config, err := c.config(a)
	if err != nil {
		return err
	}
	// Reading a graph of millions of facts leaves much garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	config.Data, err = c.read(a)
	if err != nil {
		return err
	}

	job := &training.Job{Config: config}
	if err := job.Begin(a.ctx); err != nil {
		return trainError(err)
	}
	if err := job.Train(a.ctx); err != nil {
		return err
	}
	m, err := job.Model(a.ctx)
	if err != nil {
		return err
	}
	c.warnUnused(a, &m.Manifest)
	if err := model.Save(a.ctx, c.Output, m, nil); err != nil {
		return job.Stopped(err)
	}
	_, job.Report.Memory = memory.OfSelf()
	if err := writeJSONFile(c.path(".train.json"), job.Report); err != nil {
		return err
	}

	// All outputs are on disk, so the checkpoint is obsolete.
	if err := os.Remove(c.path(".ckpt")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.conclude(a, job)
}

// trainError marks an error as a usage error if other flags avoid it.
func trainError(err error) error {
	if is[training.UsageError](err) {
		return cli.UsageError{Err: err}
	}
	return err
}

// config converts the flags.
func (c *trainCmd) config(a *app) (training.Config, error) {
	o := training.Config{
		Started: time.Now(), Budget: c.Budget, Threads: goruntime.GOMAXPROCS(0),
		Checkpoint: c.path(".ckpt"), Resume: c.Resume, Restart: c.Restart, Out: trainOutput(a),
	}
	switch {
	case c.Budget < 0:
		return o, usagef("--budget is a time, such as 10m")
	case c.Resume && c.Budget > 0:
		return o, usagef("--budget chooses how to begin a training: with --resume, give --epochs")
	case c.Budget == 0 && c.Epochs == nil && !c.Resume:
		o.Budget = defaultBudget
	}
	var err error
	o.Table, o.Exact, err = c.tables()
	if err != nil {
		return o, err
	}
	settings, err := c.settings()
	if err != nil {
		return o, err
	}
	o.Manifest = model.Manifest{Description: c.Description, TypeRelation: c.TypeRelation, Settings: settings}
	o.Given = training.Given{Rank: c.Rank, Epochs: c.Epochs}
	if c.Members > 0 {
		o.Given.Members = &c.Members
	}
	if err := c.Trainer.Set("--trainer", trainerOptions(&o.Given)); err != nil {
		return o, err
	}
	if !c.NoCalibration {
		calibration := c.calibration()
		calibration.Plans = plans
		calibration.Progress = a.bar.Counts
		o.Calibration = &calibration
	}
	return o, writable(c.Output, c.path(".ckpt"))
}

// read reads the graph, and holds out facts.
func (c *trainCmd) read(a *app) (*importer.Dataset, error) {
	d, err := importer.ReadDataset(a.ctx, c.importOptions(a, c.Graph), importer.SplitFiles{Valid: c.Valid, Test: c.Test})
	if err != nil {
		return nil, err
	}
	if c.TypeRelation != "" { // fail before training
		if _, err := d.Relations.Find(strings.TrimSuffix(c.TypeRelation, "^-1")); err != nil {
			return nil, usagef("--type-relation: %w", err)
		}
	}
	for _, x := range c.Missing {
		if _, err := d.Relations.Find(strings.TrimSuffix(x.relation, "^-1")); x.relation != "" && err != nil {
			return nil, usagef("--missing: %w", d.Relations.Suggest(err))
		}
	}
	return d, c.putAside(a, d)
}

// trainOutput shows the progress of a training: on a terminal, a bar with loss and remaining time.
func trainOutput(a *app) training.Output {
	return training.Output{
		Note: a.notef, Warn: a.warnf, Progress: a.bar.Counts,
		Step: func(run *train.Run) {
			if a.bar.Hidden() {
				return
			}
			t := run.Trainer
			const whole = 1000
			a.bar.Show("train", int64(whole*run.Share()), whole)
			member := ""
			if members := run.Options().Members; members > 1 {
				member = fmt.Sprintf("member %d/%d, ", members-run.Left()+1, members)
			}
			a.bar.Describe(fmt.Sprintf("%sepoch %d, loss %.4f", member, t.Epoch()+1, t.Loss().Mean()))
		},
	}
}

// conclude prints the result of the training.
func (c *trainCmd) conclude(a *app, job *training.Job) error {
	r := job.Report
	if text := r.Weak(); text != "" {
		a.warnf("%s", text)
	}
	if err := a.printf("wrote %s: %s\n%sreport: %s\n", c.Output, r.Result(), r.Meaning(), c.path(".train.json")); err != nil {
		return err
	}
	if more := r.More(); more != "" {
		return a.printf("more: --budget %s\n", more)
	}
	return nil
}
