package anycq

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Command evaluates a model on a file or folder of questions.
type Command struct {
	Questions string           `arg:"" help:"File of AnyCQ's (qac_*.json, qar_*.json), or a folder of them."`
	Model     string           `required:"" short:"m" placeholder:"FILE.efoc" help:"Model to evaluate."`
	Split     string           `default:"test" help:"Split of the questions (default: ${default})."`
	Limit     int              `placeholder:"N" help:"Number of questions of each kind; by default all."`
	Semantics *model.Semantics `enum:"mixed,nsmp,fit" help:"Semantics to answer by: mixed, nsmp or fit; by default the model's."`
	Timeout   time.Duration    `default:"30s" help:"Time for a question, after which it is not answered (default: ${default})."`
	Accept    string           `default:"0.5" help:"Score from which on an answer is accepted: a number (default: 0.5, as in AnyCQ's programs), or valid, the score of greatest F1 on the questions of the valid split beside. To classify by a calibrated model, the score is the chance that an answer is true where half of the candidates are, as in the benchmark."`
	JSON      string           `name:"json" placeholder:"FILE" help:"Write the report as JSON, too."`
}

// Validate reports options that make no sense.
func (c *Command) Validate() error {
	if _, err := c.accept(); err != nil {
		return err
	}
	if c.Timeout <= 0 {
		return fmt.Errorf("--timeout is %s, want more than 0", c.Timeout)
	}
	return nil
}

// accept reads --accept; 0 stands for valid.
func (c *Command) accept() (float32, error) {
	if c.Accept == "valid" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(c.Accept, 32)
	if err != nil || !(x > 0 && x <= 1) {
		return 0, fmt.Errorf("--accept is %q, want a number above 0, up to 1, or valid", c.Accept)
	}
	return float32(x), nil
}

// Run asks the questions and prints the report, after an interrupt that of what is done.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	task := TaskOf(c.Questions, c.Split)
	if task == "" {
		return fmt.Errorf("%s: no questions of AnyCQ's %s split: looked for qac_%[2]s_*.json and qar_%[2]s_*.json", c.Questions, c.Split)
	}
	m, err := query.Open(c.Model, model.Mapped())
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
	accept, accepting, err := c.acceptance(ctx, config)
	if err != nil {
		return err
	}
	set, err := Open(ctx, c.Questions, c.Split, c.Limit)
	if err != nil {
		return err
	}
	results, interrupted := Run(ctx, set, config)
	if interrupted != nil && (!errors.Is(interrupted, context.Canceled) || len(results) == 0) {
		return interrupted
	}
	r := Summarize(task, results, accept)
	r.Model, r.Questions, r.Semantics = eval.NewModelInfo(m), c.Questions, semantics.String()
	r.Model.File, r.Accepting, r.Timeout, r.Seconds = c.Model, accepting, c.Timeout, time.Since(start).Seconds()
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

// acceptance returns the scores from which on answers are accepted, and says where they are from.
func (c *Command) acceptance(ctx context.Context, config Config) (accept Accept, how string, err error) {
	fixed, err := c.accept()
	if err != nil {
		return accept, "", err
	}
	if c.Accept != "valid" {
		return Accept{All: fixed}, "from a score of " + strconv.FormatFloat(float64(fixed), 'g', -1, 32) + " on", nil
	}
	path := Sibling(c.Questions, "valid")
	set, err := Open(ctx, path, "valid", c.Limit)
	if err != nil {
		return accept, "", err
	}
	results, err := Run(ctx, set, config)
	if err != nil {
		return accept, "", err
	}
	return FitAccept(results), "from the score of greatest F1 on the valid split on: " + path, nil
}
