package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

type trainCmd struct {
	Graph  string `arg:"" in:"" predictor:"file" help:"Folder of a graph (BetaE, FIT, or train.tsv with entities.tsv and relations.tsv), or a file of triples: TSV, CSV, Parquet, Turtle, N-Triples or N-Quads, text perhaps compressed."`
	Output string `short:"o" required:"" placeholder:"FILE.efoc" out:"*,%.ckpt,%.train.json" predictor:"model" help:"Model to write, with the report FILE.train.json beside it. During training, FILE.ckpt is the checkpoint."`

	Embeddings string `placeholder:"FILE.safetensors" out:"*" predictor:"file" help:"Also write the embeddings to a file of their own, for import."`

	newModelFlags
	Valid string `placeholder:"FILE" in:"" predictor:"file" help:"Facts that select the best model; by default valid.tsv and the like in the graph's folder."`
	Test  string `placeholder:"FILE" in:"" predictor:"file" help:"Facts to evaluate that model on; by default test.tsv and the like."`

	Holdout *float64 `placeholder:"SHARE" help:"Without a validation split, hold out this share of the facts, from 0 to 0.5, to choose the best epoch, settings and confidence. Afterwards the model's graph has all facts. By default a tenth, at most 20,000 facts, and none of fewer than 2,000."`

	Rank    *int       `group:"training" placeholder:"N" help:"Complex numbers in an embedding."`
	Epochs  *int       `group:"training" placeholder:"N" help:"Maximum number of passes over the facts."`
	Trainer optionList `group:"training" sep:"none" options:"trainer" placeholder:"NAME=VALUE" help:"Other settings of the training, such as n3=0.1; may be repeated."`
	Seed    *uint64    `group:"training" placeholder:"N" help:"Random seed; by default 1."`

	Budget  time.Duration `group:"course" placeholder:"TIME" help:"Time for everything: reading, trials that choose rank, negatives and relations unless given, training, and calibration. By default 10m at most, and as long as --epochs takes if that is given."`
	Resume  bool          `group:"course" xor:"again" help:"Continue from the checkpoint."`
	Restart bool          `group:"course" xor:"again" help:"Start again even if there is a checkpoint."`
	Threads int           `least:"1" placeholder:"N" help:"Number of threads; by default one per processor. The result does not depend on it."`

	trainer     trainerOptions
	started     time.Time
	calibrating calibrate.Cost
	unmeasured  bool // calibration, for which the budget is too short
	pace        training.Pace
	bounded     bool // by the time that training takes at most by default
}

// defaultBudget bounds a training without --budget and --epochs, and moreBudget is the time to try
// next.
const (
	defaultBudget = 10 * time.Minute
	moreBudget    = "1h"
)

func (c *trainCmd) check() error {
	switch {
	case c.Budget < 0:
		return usagef("--budget is a time, such as 10m")
	case c.Holdout != nil && !(*c.Holdout >= 0 && *c.Holdout <= 0.5):
		return usagef("--holdout is %v, want a share from 0 to 0.5", *c.Holdout)
	case c.Holdout != nil && c.Valid != "":
		return usagef("--valid has the facts to choose by: leave out --holdout")
	case c.Resume && c.Budget > 0:
		return usagef("--budget chooses how to begin a training: with --resume, give --epochs")
	}
	if _, _, err := c.tables(); err != nil {
		return err
	}
	c.trainer.interval = 5 * time.Minute
	if err := c.Trainer.set("--trainer", c.trainer.options()); err != nil {
		return err
	}
	return writable(c.Output, c.path(".ckpt"), c.Embeddings)
}

// path returns the name of a file beside the output.
func (c *trainCmd) path(suffix string) string { return beside(c.Output, "%"+suffix) }

func (c *trainCmd) Run(a *app) error {
	c.started = time.Now()
	if err := c.check(); err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	c.Threads = cmp.Or(c.Threads, goruntime.GOMAXPROCS(0))
	if c.Budget == 0 && c.Epochs == nil && !c.Resume {
		c.Budget = defaultBudget
		c.bounded = true
	}
	// A graph of millions leaves much behind while it is read.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	d, err := importer.ReadDataset(a.ctx, c.importOptions(a, c.Graph), importer.SplitFiles{Valid: c.Valid, Test: c.Test})
	if err != nil {
		return err
	}
	if c.TypeRelation != "" { // fail before training, not after
		if _, err := d.Relations.Find(strings.TrimSuffix(c.TypeRelation, "^-1")); err != nil {
			return usagef("--type-relation: %w", err)
		}
	}
	c.warnUnseen(a, d)
	heldOut := c.holdOut(a, d)
	run, tests, err := c.begin(a, d)
	if err != nil {
		return err
	}
	report := &trainReport{
		Graph: d.Name, Entities: d.Entities.Len(), Relations: d.Relations.Len(), Facts: len(d.Train),
		Options: run.Trainer.Options(), Schedule: run.Schedule, Threads: c.Threads, Kernels: simd.Engine(),
	}
	a.notef("%s", report.plan())
	progress := &trainBar{app: a, run: run}
	err = run.Do(a.ctx, train.Checkpoints{Path: c.path(".ckpt"), Interval: c.trainer.interval}, train.Hooks{
		Step: progress.step,
		Epoch: func(p train.Point) {
			c.pace.Adapt(run)
			progress.epoch(p)
		},
		Unsaved: func(err error) {
			a.notef("warning: %v; training goes on, and the checkpoint before stays as it is", err)
		},
	})
	if err != nil {
		return c.stopped(a, run, err)
	}
	report.finish(run)
	if err := report.evaluate(a.ctx, d, run, tests, a.bar); err != nil {
		return err
	}
	return c.write(a, d, run, report, settings, heldOut)
}

// stopped says what remains of an interrupted training.
func (c *trainCmd) stopped(a *app, run *train.Run, err error) error {
	path := c.path(".ckpt")
	if _, missing := os.Stat(path); missing != nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		done, all := run.Trainer.Steps()
		a.notef("efoc: stopped after %d epochs and %d of %d steps; go on with --resume", run.Trainer.Epoch(), done, all)
		return err
	}
	then := "once that is put right, go on with --resume"
	if errors.Is(err, train.ErrDiverged) {
		then = "start again with --restart and a lower --trainer rate"
	}
	return fmt.Errorf("%w; the last checkpoint, %s, is as it was: %s", err, path, then)
}

// warnUnseen names what nothing can be learnt about.
func (c *trainCmd) warnUnseen(a *app, d *importer.Dataset) {
	relations, entities := d.Unseen()
	if len(relations) > 0 {
		names := namesOf(relations, func(r int32) string { return strconv.Quote(d.Relations.Name(r)) })
		a.warnf("relations without a fact in the observed graph, about which nothing is learnt: %s", someOf(names))
	}
	if entities > 0 {
		a.warnf("%d of %d entities are in no fact of the observed graph: nothing is learnt of them", entities, d.Entities.Len())
	}
}

func (c *trainCmd) write(a *app, d *importer.Dataset, run *train.Run, report *trainReport, settings model.Settings, heldOut bool) error {
	p, err := run.Predictor()
	if err != nil {
		return err
	}
	debug.FreeOSMemory() // of the run
	exact := p
	table, beside, err := c.tables()
	if err != nil {
		return err
	}
	if p.EntityTable, err = model.MakeTable(p.EntityTable.Float32s(), p.EntityTable.Width(), table, beside); err != nil {
		return err
	}
	m, err := d.Model(p, model.Manifest{Description: c.Description, TypeRelation: c.TypeRelation, Settings: settings})
	if err != nil {
		return err
	}
	if len(d.Valid) > 0 && !c.NoCalibration {
		o := c.calibration()
		o.PutBack = heldOut
		if c.Budget > 0 {
			o.Share = c.calibratedShare((c.Budget - time.Since(c.started)).Seconds())
		}
		text, err := a.calibrate(a.ctx, m, d.Valid, o)
		if err != nil {
			return c.stopped(a, run, err)
		}
		a.notef("%s", text)
	}
	if heldOut {
		manifest := m.Manifest
		manifest.Sources = nil // which the dataset has
		d.PutBack()
		if m, err = d.Model(p, manifest); err != nil {
			return err
		}
	}
	if err := model.Save(a.ctx, c.Output, m, nil); err != nil {
		return c.stopped(a, run, err)
	}
	_, report.Memory = memory.OfSelf()
	if c.Embeddings != "" {
		if err := train.SaveEmbeddings(c.Embeddings, &exact); err != nil {
			return err
		}
	}
	if err := writeJSONFile(c.path(".train.json"), report); err != nil {
		return err
	}

	// All outputs are on the disk, so nothing needs the checkpoint any more.
	if err := os.Remove(c.path(".ckpt")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.conclude(a, run, report)
}

// conclude prints what the training has come to.
func (c *trainCmd) conclude(a *app, run *train.Run, report *trainReport) error {
	if text := report.weak(); text != "" {
		a.warnf("%s", text)
	}
	if err := a.printf("wrote %s: %s\n%sreport: %s\n", c.Output, report.result(), report.meaning(), c.path(".train.json")); err != nil {
		return err
	}
	if c.bounded && report.endedEarly(run) {
		return a.printf("more: --budget %s\n", moreBudget)
	}
	return nil
}
