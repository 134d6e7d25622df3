// Package synthetic makes up graphs of any size, with embeddings that fit them, to measure how
// training, importing and answering grow with the number of entities.
//
//	go run . graph DIR
//	go run . graph DIR --entities 5000000 --rank 64
//
// The same flags make the same files.
package synthetic

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
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
	// write writes a file: whole, or not at all.
	write := func(name string, write func(*bufio.Writer)) error {
		path := filepath.Join(c.Dir, name)
		err := atomicfile.Write(path, func(to io.Writer) error {
			buffered := bufio.NewWriterSize(to, 1<<20)
			write(buffered)
			return buffered.Flush() // with the first error
		})
		if err == nil {
			out.Progress("%s: written", path)
		}
		return err
	}
	for i, name := range []string{"valid.tsv", "test.tsv", "train.tsv"} {
		part := func(r, h, t int) bool { return min(2, w.draws(r, h, t)/uint64(c.Heldout)) == uint64(i) }
		if err := write(name, func(to *bufio.Writer) { w.writeFacts(to, part) }); err != nil {
			return err
		}
	}
	if c.Rank == 0 {
		return nil
	}
	header, err := safetensors.EncodeHeader(nil, []safetensors.Tensor{ // under the names that CQD has
		{Name: "embeddings.0.weight", DType: safetensors.F32, Shape: []int{w.Entities, 2 * w.Rank}},
		{Name: "embeddings.1.weight", DType: safetensors.F32, Shape: []int{2 * w.Relations, 2 * w.Rank}},
	})
	return cmp.Or(err,
		write("entities.tsv", func(to *bufio.Writer) { writeNames(to, w.Entities, entityName) }),
		write("relations.tsv", func(to *bufio.Writer) { writeNames(to, w.Relations, relationName) }),
		write("checkpoint.safetensors", func(to *bufio.Writer) {
			to.Write(header)
			w.writeEmbeddings(to)
		}))
}

// The names of entities and relations, which ascend with their ids.
const (
	entityName   = "entity/%09d"
	relationName = "relation/%04d"
)

// writeFacts writes the facts of a part by their names.
func (w *world) writeFacts(to io.Writer, part func(r, h, t int) bool) {
	for r := range w.Relations {
		for _, p := range w.draw(r) {
			if h, t := int(p>>32), int(uint32(p)); part(r, h, t) {
				fmt.Fprintf(to, entityName+"\t"+relationName+"\t"+entityName+"\n", h, r, t)
			}
		}
	}
}

// writeNames writes a table of ids.
func writeNames(to io.Writer, n int, name string) {
	for id := range n {
		fmt.Fprintf(to, "%d\t"+name+"\n", id, id)
	}
}

// writeEmbeddings writes the embeddings of the entities, then of the relations in both directions.
func (w *world) writeEmbeddings(to io.Writer) {
	row := make([]float32, 2*w.Rank)
	for e := range w.Entities {
		w.row(e, row)
		binary.Write(to, binary.LittleEndian, row)
	}
	for _, s := range w.shifts {
		for _, shift := range []int{s, len(w.cos) - s} {
			w.phases(row, shift)
			binary.Write(to, binary.LittleEndian, row)
		}
	}
}

// draws returns a number for a fact, drawn from as many as there are facts.
func (w *world) draws(r, h, t int) uint64 {
	return mix(w.Seed+uint64(r), 7, uint64(h)<<32|uint64(t)) % uint64(w.Entities*w.Facts)
}
