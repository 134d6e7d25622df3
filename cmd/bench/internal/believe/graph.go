package believe

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
)

// parted is a graph with some facts put aside.
type parted struct {
	*importer.Dataset
	aside []graph.Triple
	split bool // it has a test split
}

// read reads the graph and puts facts aside.
func (c *Command) read(ctx context.Context) (*parted, error) {
	d, err := importer.ReadDataset(ctx, importer.Options{Graph: c.Graph}, importer.SplitFiles{})
	if err != nil {
		return nil, err
	}
	if len(d.Test) > 0 {
		return &parted{d, d.Test, true}, nil
	}
	d.HoldOut(int(c.Aside*float64(len(d.Train))), c.Seed)
	aside := d.Valid
	d.Valid = nil
	if len(aside) == 0 {
		return nil, fmt.Errorf("%s has no fact that can be put aside", c.Graph)
	}
	return &parted{d, aside, false}, nil
}

// make makes the model by efoc: of the folder if the facts put aside are in a file of their own,
// otherwise of a file of the others.
func (c *Command) make(ctx context.Context, out *cli.Output, g *parted, dir string) error {
	source := c.Graph
	if !g.split {
		source = filepath.Join(dir, "graph.tsv")
		if err := atomicfile.Write(source, g.writeFacts); err != nil {
			return err
		}
	}

	args := []string{"train", source, "-o", c.Model, "--budget", c.Budget.String()}
	if c.Checkpoint != "" {
		args = []string{"import", source, "-o", c.Model, "-c", c.Checkpoint}
	}
	cmd := exec.CommandContext(ctx, c.Efoc, args...)
	cmd.Stdout = out.Stderr
	cmd.Stderr = out.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", c.Efoc, args[0], err)
	}
	return nil
}

// writeFacts writes the facts that are not put aside by their names.
func (g *parted) writeFacts(to io.Writer) error {
	buffered := bufio.NewWriter(to)
	for _, t := range g.Train {
		fmt.Fprintf(buffered, "%s\t%s\t%s\n", g.Entities.Name(int32(t.Head)), g.Relations.Name(t.Relation), g.Entities.Name(int32(t.Tail)))
	}
	return buffered.Flush() // with the first error
}

// complete adds the validation facts to the model, and gives the facts put aside its ids.
func (g *parted) complete(m *runtime.Model) (*runtime.Model, error) {
	valid, err := g.inModel(m, g.Valid)
	if err != nil {
		return nil, err
	}
	if _, err := m.Change(model.Change{Add: valid}); err != nil {
		return nil, err
	}
	m = m.Now()
	g.aside, err = g.inModel(m, g.aside)
	if err != nil {
		return nil, err
	}
	known := 0
	for _, t := range g.aside {
		if m.Bundle().Graph.Has(t.Head, graph.RelationID(2*t.Relation), t.Tail) {
			known++
		}
	}
	if known > 0 {
		return nil, fmt.Errorf("the model's graph has %d of the %d facts put aside: it was made of all facts, or of another --seed or --aside", known, len(g.aside))
	}
	return m, nil
}

// inModel returns facts with the ids of a model. Facts of entities that it lacks are left out.
func (g *parted) inModel(m *runtime.Model, facts []graph.Triple) (list []graph.Triple, err error) {
	for _, t := range facts {
		h, unknown := m.Bundle().FindEntity(g.Entities.Name(int32(t.Head)))
		if unknown != nil {
			continue
		}
		tail, unknown := m.Bundle().FindEntity(g.Entities.Name(int32(t.Tail)))
		if unknown != nil {
			continue
		}
		r, err := m.Bundle().FindRelation(g.Relations.Name(t.Relation))
		if err != nil {
			return nil, err
		}
		list = append(list, graph.Triple{Head: graph.EntityID(h), Relation: r / 2, Tail: graph.EntityID(tail)})
	}
	return list, nil
}
