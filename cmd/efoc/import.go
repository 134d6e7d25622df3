package main

import (
	"context"
	"runtime/debug"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
)

type importCmd struct {
	Graph      string   `arg:"" in:"" help:"Folder of a graph (BetaE, FIT, LibKGE, or train.tsv with entities.tsv and relations.tsv), or a file of triples: TSV, CSV, RDF (Turtle, N-Triples, N-Quads, TriG, JSON-LD). Text may be compressed with gzip, zstd or bzip2."`
	Checkpoint []string `short:"c" required:"" sep:"none" placeholder:"FILE" in:"folder" help:"Trained embeddings of a ComplEx or DistMult: a safetensors or PyTorch file (CQD, QTO, FIT, LMPNN, LibKGE, PyKEEN), or a folder of PyKEEN or LibKGE. May be repeated: the model's scores are then the weighted mean of theirs."`
	Output     string   `short:"o" required:"" placeholder:"FILE.efoc" out:"*" help:"Model to write."`

	newModelFlags

	Weights   []float64 `group:"checkpoint" placeholder:"NUMBER,NUMBER" help:"Weights of several checkpoints, in their order; equal by default."`
	Tensors   []string  `group:"checkpoint" placeholder:"ENTITIES,RELATIONS" help:"Names of the two tensors."`
	RowNames  []string  `group:"checkpoint" placeholder:"FILE,FILE" in:"" help:"Tables of id and name that assign rows of the checkpoint to entities, and to relations; by default searched for beside each checkpoint. none instead of either: its rows are in the order of the graph's ids."`
	Layout    string    `group:"checkpoint" enum:"auto,halves,interleaved,real" default:"auto" placeholder:"LAYOUT" help:"Layout of complex numbers: halves (all real parts, then all imaginary ones), interleaved (real and imaginary parts alternate, as in PyKEEN), or auto, which tries both on the graph's triples; or real (DistMult), if the checkpoint does not say so (default: ${default})."`
	Inverse   string    `group:"checkpoint" enum:"auto,xor,offset,none" default:"auto" placeholder:"PLACE" help:"Rows of a relation and its inverse: xor (2i and 2i+1, as in BetaE), offset (i and i+|R|, as in kbc and LibKGE), none (no rows for inverses; conjugates are used), or auto (default: ${default})."`
	SkipCheck bool      `group:"checkpoint" help:"Do not check the embeddings against the graph; auto is then the usual layout of the trainer."`
}

func (c *importCmd) Run(a *app) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	table, exact, err := c.tables()
	if err != nil {
		return err
	}
	tensors, err := pair("--tensors", c.Tensors)
	if err != nil {
		return err
	}
	rowNames, err := pair("--row-names", c.RowNames)
	if err != nil {
		return err
	}
	if err := checkJournal(c.Output); err != nil {
		return err
	}
	// Reading a graph of millions of facts leaves much garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	var notes []string
	start := time.Now()
	options := c.importOptions(a, c.Graph)
	options.Checkpoints, options.Weights, options.Output = c.Checkpoint, c.Weights, c.Output
	options.EntityTensor, options.RelationTensor = tensors[0], tensors[1]
	options.EntityRows, options.RelationRows = rowNames[0], rowNames[1]
	options.Layout = importer.Layout{
		Parts:   importer.Parts(strings.TrimPrefix(c.Layout, "auto")),
		Inverse: importer.Inverse(strings.TrimPrefix(c.Inverse, "auto")),
	}
	options.Table, options.Exact, options.SkipCheck, options.Settings = table, exact, c.SkipCheck, s
	options.Note = func(text string) { notes = append(notes, text) }
	if !c.NoCalibration {
		options.Calibrate = func(ctx context.Context, m *model.Model, valid []graph.Triple) error {
			text, err := a.calibrate(ctx, m, valid, c.calibration())
			notes = append(notes, text)
			return err
		}
	}
	manifest, err := importer.Import(a.ctx, options)
	if err != nil {
		return err
	}
	c.warnUnused(a, manifest)
	return a.printf("%swrote %s: %s, %d entities, %d relations, %d facts and %d held back, rank %d, in %s\n",
		strings.Join(append(notes, ""), "\n"), c.Output, manifest.Name, manifest.Entities, manifest.Relations, manifest.Triples, manifest.Heldout, manifest.Rank,
		tables.Seconds(time.Since(start).Seconds()))
}

// pair returns the two values of a flag, for entities and for relations; both are empty without the flag.
func pair(flag string, values []string) ([2]string, error) {
	switch len(values) {
	case 0:
		return [2]string{}, nil
	case 2:
		return [2]string(values), nil
	}
	return [2]string{}, usagef("%s: want two values with a comma between them, for the entities and for the relations", flag)
}
