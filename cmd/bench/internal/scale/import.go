package scale

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Import measures importer.Import; Command runs it in a process of its own.
type Import struct {
	Graph  string `arg:"" help:"Folder of the graph and of the checkpoint."`
	Output string `arg:"" help:"Bundle to write."`
	Table  string `default:"int8" help:"Type of the entity table."`
	Exact  string `default:"drop" help:"Rows beside codes."`
}

// imported is what that prints.
type imported struct {
	Seconds      float64
	Bundle, Peak int64 // bytes
}

// Run imports.
func (c *Import) Run(ctx context.Context, out *cli.Output) error {
	debug.SetGCPercent(25) // as efoc import does
	start := time.Now()
	o := importer.Options{
		Graph: c.Graph, Checkpoint: filepath.Join(c.Graph, "checkpoint.safetensors"), Output: c.Output,
		Table: model.TableType(c.Table), Layout: importer.Layout{Parts: importer.Halves, Inverse: importer.XOR},
	}
	if !o.Table.IsFloat() {
		o.Exact = importer.NoExact
		if c.Exact != "drop" {
			o.Exact = model.TableType(c.Exact)
		}
	}
	if _, err := importer.Import(ctx, o); err != nil {
		return err
	}
	info, err := os.Stat(c.Output)
	if err != nil {
		return err
	}
	r := imported{Seconds: time.Since(start).Seconds(), Bundle: info.Size()}
	if r.Peak, _, err = resident("VmHWM:", ""); err != nil {
		return err
	}
	return json.NewEncoder(out.Stdout).Encode(r)
}

// importing writes the world as text and a checkpoint, and measures an import of these.
func (c *Command) importing(r run, w *World) (i imported, err error) {
	folder := filepath.Join(r.dir, fmt.Sprintf("synthetic-%d", w.Entities))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return i, err
	}
	defer os.RemoveAll(folder)
	if err := w.writeImport(folder); err != nil {
		return i, err
	}
	r.out.Progress("%s: written", folder)
	err = r.itself(&i, "import", folder, filepath.Join(folder, "out.efoc"), "--table", c.Table, "--exact", c.Exact)
	return i, err
}

// writeImport writes the files of an import into a folder.
func (w *World) writeImport(folder string) error {
	for name, write := range map[string]func(io.Writer) error{
		"train.tsv": func(to io.Writer) error { return w.writeFacts(to, nil) }, "checkpoint.safetensors": w.writeCheckpoint,
		"entities.tsv": func(to io.Writer) error { return writeNames(to, w.Entities, w.name) },
		"relations.tsv": func(to io.Writer) error {
			return writeNames(to, w.Relations, func(b []byte, r model.EntityID) []byte { return append(b, relationName(int(r))...) })
		},
	} {
		if err := writeFile(filepath.Join(folder, name), write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file: whole, or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.Write(path, func(to io.Writer) error {
		buffered := bufio.NewWriterSize(to, 1<<20)
		if err := write(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// writeFacts writes by names the facts of a part, of all where part is nil.
func (w *World) writeFacts(to io.Writer, part func(r int, h, t int32) bool) error {
	var line []byte
	for r := range w.Relations {
		heads, tails := w.edges(r)
		for i, h := range heads {
			if part != nil && !part(r, h, tails[i]) {
				continue
			}
			line = append(w.name(line[:0], model.EntityID(h)), '\t')
			line = append(append(line, relationName(r)...), '\t')
			line = append(w.name(line, model.EntityID(tails[i])), '\n')
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNames writes a table of ids.
func writeNames(to io.Writer, n int, name func([]byte, model.EntityID) []byte) error {
	var line []byte
	for id := range n {
		line = append(name(fmt.Appendf(line[:0], "%d\t", id), model.EntityID(id)), '\n')
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// writeCheckpoint writes the embeddings as safetensors, under the names that CQD has.
func (w *World) writeCheckpoint(to io.Writer) error {
	relations := w.table()
	header, err := safetensors.EncodeShapes(nil, []safetensors.Tensor{
		{Name: "embeddings.0.weight", DType: safetensors.F32, Shape: []int{w.Entities, 2 * w.Rank}},
		{Name: "embeddings.1.weight", DType: safetensors.F32, Shape: []int{2 * w.Relations, 2 * w.Rank}},
	})
	if err != nil {
		return err
	}
	if _, err := to.Write(header); err != nil {
		return err
	}
	row, data := make([]float32, 2*w.Rank), []byte(nil)
	for e := range w.Entities {
		if err := w.row(model.EntityID(e), row); err != nil {
			return err
		}
		data = floats(data[:0], row)
		if _, err := to.Write(data); err != nil {
			return err
		}
	}
	_, err = to.Write(floats(nil, relations))
	return err
}
