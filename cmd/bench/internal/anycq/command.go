package anycq

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
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
	JSON      string           `name:"json" placeholder:"FILE" help:"Write the report as JSON, too."`
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

// Run asks the questions and prints the report, after an interrupt that of what is done.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	task := TaskOf(c.Questions, c.Split)
	if task == "" {
		return fmt.Errorf("%s: no questions of AnyCQ's %s split: looked for qac_%[2]s_*.json and qar_%[2]s_*.json", c.Questions, c.Split)
	}
	m, err := runtime.Open(c.Model, model.Mapped())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	semantics := m.Manifest.Semantics
	if c.Semantics != nil {
		semantics = *c.Semantics
	}
	config := Config{
		Model: m, Timeout: c.Timeout,
		Prepare: compiler.PrepareOptions{Plans: shapes.Plans(), Semantics: &semantics},
	}
	start := time.Now()
	set, err := Open(ctx, c.Questions, c.Split, c.Limit)
	if err != nil {
		return err
	}
	results, interrupted := Run(ctx, set, config)
	if interrupted != nil && (!errors.Is(interrupted, context.Canceled) || len(results) == 0) {
		return interrupted
	}
	r := Summarize(task, results, c.Accept)
	r.Model, r.Questions, r.Semantics = eval.NewModelInfo(m), c.Questions, semantics.String()
	r.Model.File, r.Timeout, r.Seconds = c.Model, c.Timeout, time.Since(start).Seconds()
	t := r.Table()
	_, err = fmt.Fprintf(out.Stdout, "%s\n\n%s\n\nasked %d questions in %s\n", tables.Text(t.Header, t.Rows), tables.Text(nil, r.Facts()), len(results),
		time.Since(start).Round(time.Millisecond))
	if err := cmp.Or(err, interrupted); err != nil {
		return err // a part of the figures must not replace a file that has all
	}
	return c.write(r)
}

// write writes the report as JSON if it is wanted.
func (c *Command) write(r *Report) error {
	if c.JSON == "" {
		return nil
	}
	return atomicfile.Write(c.JSON, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
}
