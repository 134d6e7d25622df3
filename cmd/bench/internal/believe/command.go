package believe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Command measures confidence on a graph.
type Command struct {
	Graph      string           `arg:"" help:"File of facts, or folder of a graph. A folder with a test split has its facts put aside already."`
	Model      string           `short:"m" placeholder:"FILE.efoc" help:"Model to measure. It is made if the file does not exist; by default, one is made and removed."`
	Checkpoint string           `short:"c" placeholder:"FILE" help:"Embeddings to import, for a graph with a test split; by default, a model is trained."`
	Budget     time.Duration    `default:"1m" help:"Time to train in (default: ${default})."`
	Aside      float64          `default:"0.05" help:"Share of the facts to put aside if there is no test split (default: ${default})."`
	Questions  cli.Count        `default:"400" help:"Number of questions of each kind (default: ${default})."`
	Semantics  *model.Semantics `enum:"mixed,nsmp,fit" help:"Semantics to answer by: mixed, nsmp or fit; by default the model's."`
	Seed       uint64           `default:"1" help:"Random seed of facts and questions (default: ${default})."`
	Efoc       string           `default:"efoc" placeholder:"FILE" help:"Program that makes the model (default: ${default})."`
}

// Validate reports options that make no sense.
func (c *Command) Validate() error {
	if !(c.Aside > 0 && c.Aside <= 0.5) {
		return fmt.Errorf("--aside is %v, want a share above 0, up to 0.5", c.Aside)
	}
	return nil
}

// Run makes the model, asks the questions and prints the report.
func (c *Command) Run(ctx context.Context, out *cli.Output) (err error) {
	g, err := c.read(ctx)
	if err != nil {
		return err
	}
	if c.Checkpoint != "" && !g.split {
		return fmt.Errorf("--checkpoint: %s has no test split, so the embeddings have seen the facts that would be put aside", c.Graph)
	}

	dir, err := os.MkdirTemp("", "believe")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if c.Model == "" {
		c.Model = filepath.Join(dir, "model.efoc")
	}
	if _, missing := os.Stat(c.Model); missing != nil {
		if err := c.make(ctx, out, g, dir); err != nil {
			return err
		}
	}

	m, err := runtime.Open(c.Model, model.Mapped())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	completed, err := g.complete(m)
	if err != nil {
		return err
	}
	return c.measure(ctx, out, completed, g)
}

// measure asks the questions and prints the report.
func (c *Command) measure(ctx context.Context, out *cli.Output, m *runtime.Model, g *parted) error {
	r, err := claims.Measure(ctx, m, g.aside, claims.Options{
		Questions: int(c.Questions), Seed: c.Seed, Semantics: c.Semantics,
	})
	if err != nil {
		return err
	}
	f := &m.Bundle().Manifest
	facts := append([]tables.Row{
		{"graph", fmt.Sprintf("%s: %d entities, %d relations, %d facts and %d put aside", c.Graph, f.Entities, f.Relations, f.Triples, len(g.aside))},
		{"semantics", r.Semantics},
	}, r.Facts()...)
	_, err = fmt.Fprintf(out.Stdout, "%s\n\n%s\n", tables.Text(nil, facts), strings.Join(r.Tables(), "\n\n"))
	return err
}
