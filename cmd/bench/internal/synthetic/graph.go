// Package synthetic makes up graphs of any size, with embeddings that fit them, to measure how
// training, importing and answering grow with the number of entities.
//
//	go run cmd/bench/main.go graph DIR
//	go run cmd/bench/main.go graph DIR --entities 5000000 --rank 64
//
// The same flags make the same files.
package synthetic

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
)

// Graph writes a graph: train.tsv, valid.tsv and test.tsv, and with a rank also
// checkpoint.safetensors with the tables of names that its rows belong to.
type Graph struct {
	Dir       string    `arg:"" help:"Folder to write to."`
	Entities  cli.Count `default:"1000000" help:"Number of entities."`
	Facts     cli.Count `default:"10" help:"Mean number of facts that an entity is the head of."`
	Relations cli.Count `default:"50" help:"Number of relations."`
	Members   int       `default:"16" help:"Entities in a cluster: the fewer, the more precisely a fact is predicted by the others. 0 for at most 1024 clusters."`
	Heldout   cli.Count `default:"5000" help:"About how many facts the validation and the test split have each."`
	Rank      int       `help:"Rank of embeddings to write as well, for efoc import; by default none."`
	Seed      uint64    `default:"1" help:"Random seed."`
}

// Run writes the files.
func (c *Graph) Run(_ context.Context, out *cli.Output) error {
	w := &world{Entities: int(c.Entities), Relations: int(c.Relations), Rank: c.Rank, Facts: int(c.Facts), Members: c.Members, Seed: c.Seed}
	w.complete()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	write := func(name string, write func(io.Writer) error) error {
		path := filepath.Join(c.Dir, name)
		err := writeFile(path, write)
		if err == nil {
			out.Progress("%s: written", path)
		}
		return err
	}
	for i, name := range []string{"valid.tsv", "test.tsv", "train.tsv"} {
		part := func(r int, h, t int32) bool { return min(2, w.draws(r, h, t)/uint64(c.Heldout)) == uint64(i) }
		if err := write(name, func(to io.Writer) error { return w.writeFacts(to, part) }); err != nil {
			return err
		}
	}
	if c.Rank == 0 {
		return nil
	}
	if err := write("entities.tsv", func(to io.Writer) error { return writeNames(to, w.Entities, w.name) }); err != nil {
		return err
	}
	relation := func(to []byte, r int) []byte { return append(to, relationName(r)...) }
	if err := write("relations.tsv", func(to io.Writer) error { return writeNames(to, w.Relations, relation) }); err != nil {
		return err
	}
	return write("checkpoint.safetensors", w.writeCheckpoint)
}

// draws returns a number for a fact, drawn from as many as there are facts.
func (w *world) draws(r int, h, t int32) uint64 {
	return mix(w.Seed+uint64(r), 7, uint64(h)<<32|uint64(t)) % uint64(w.Entities*w.Facts)
}
