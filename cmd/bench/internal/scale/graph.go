package scale

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
)

// Graph writes a graph to train on: train.tsv, valid.tsv and test.tsv.
type Graph struct {
	Dir       string    `arg:"" help:"Folder to write to."`
	Entities  cli.Count `default:"1000000" help:"Number of entities."`
	Facts     cli.Count `default:"10" help:"Mean number of facts that an entity is the head of."`
	Relations cli.Count `default:"50" help:"Number of relations."`
	Members   cli.Count `default:"16" help:"Entities in a cluster: the fewer, the more precisely a fact is predicted by the others."`
	Heldout   cli.Count `default:"5000" help:"About how many facts the validation and the test split have each."`
	Seed      uint64    `default:"1" help:"Random seed."`
}

// Run writes the files.
func (c *Graph) Run(_ context.Context, out *cli.Output) error {
	w := &World{Entities: int(c.Entities), Relations: int(c.Relations), Facts: int(c.Facts), Members: int(c.Members), Seed: c.Seed}
	w.complete()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	for i, name := range []string{"valid.tsv", "test.tsv", "train.tsv"} {
		part := func(r int, h, t int32) bool { return min(2, w.draws(r, h, t)/uint64(c.Heldout)) == uint64(i) }
		if err := writeFile(filepath.Join(c.Dir, name), func(to io.Writer) error { return w.writeFacts(to, part) }); err != nil {
			return err
		}
		out.Progress("%s: written", filepath.Join(c.Dir, name))
	}
	return nil
}

// draws returns a number for a fact, drawn from as many as there are facts.
func (w *World) draws(r int, h, t int32) uint64 {
	return mix(w.Seed+uint64(r), 7, uint64(h)<<32|uint64(t)) % uint64(w.Entities*w.Facts)
}
