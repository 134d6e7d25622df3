package anycq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Command evaluates a model on a file or folder of questions.
type Command struct {
	Questions string           `arg:"" help:"File of AnyCQ's (qac_*.json, qar_*.json), or a folder of them."`
	Model     string           `required:"" short:"m" placeholder:"FILE.efoc" help:"Model to evaluate."`
	Split     string           `default:"test" help:"Split of the questions (default: ${default})."`
	Limit     int              `placeholder:"N" help:"Number of questions of each kind; by default all."`
	Semantics *model.Semantics `enum:"mixed,nsmp,fit" help:"Semantics to answer by: mixed, nsmp or fit; by default the model's."`
	Timeout   time.Duration    `default:"30s" help:"Time for a question, after which it is not answered (default: ${default})."`
	Accept    float32          `default:"0.5" help:"Score from which on an answer is accepted (default: 0.5, as in AnyCQ's programs). To classify by a calibrated model, the score is the chance that an answer is true where half of the candidates are, as in the benchmark."`
}

// Validate reports options that make no sense.
func (c *Command) Validate() error {
	if !(c.Accept > 0 && c.Accept <= 1) {
		return fmt.Errorf("--accept is %v, want a number above 0, up to 1", c.Accept)
	}
	if c.Timeout <= 0 {
		return fmt.Errorf("--timeout is %s, want more than 0", c.Timeout)
	}
	return nil
}

// Run asks the questions and prints the report, after an interrupt the report on the finished questions.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	start := time.Now()
	set, err := Open(ctx, c.Questions, c.Split, c.Limit)
	if err != nil {
		return err
	}
	m, err := runtime.Open(c.Model, model.Mapped())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	semantics := cmp.Or(c.Semantics, &m.Bundle().Manifest.Semantics)
	config := Config{
		Model: m, Timeout: c.Timeout,
		Prepare: compiler.Options{Plans: shapes.Plans(), Semantics: semantics},
	}
	results, interrupted := Run(ctx, set, config)
	if interrupted != nil && (!errors.Is(interrupted, context.Canceled) || len(results) == 0) {
		return interrupted
	}
	facts := append([]tables.Row{
		{"task", "AnyCQ's query answer " + map[Task]string{Classification: "classification", Retrieval: "retrieval"}[set.Task]},
		{"model", m.Bundle().Manifest.Name + ", " + c.Model},
		{"questions", c.Questions},
		{"semantics", *semantics},
		{"time for a question", c.Timeout},
		{"accepted", fmt.Sprintf("from a score of %v on", c.Accept)},
	}, reasons(results)...)
	_, err = fmt.Fprintf(out.Stdout, "%s\n\n%s\n\nasked %d questions in %s\n", tables.Text(report(set.Task, results, c.Accept)), tables.Text(nil, facts), len(results),
		time.Since(start).Round(time.Millisecond))
	return cmp.Or(err, interrupted)
}
