package main

import (
	"context"
	"runtime/debug"
	"strings"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
)

type importCmd struct {
	Graph      string `arg:"" in:"" predictor:"file" help:"Folder of a graph (BetaE, FIT, LibKGE, or train.tsv with entities.tsv and relations.tsv), or a file of triples: TSV, CSV, Parquet, Turtle, N-Triples or N-Quads. Text may be compressed with gzip, zstd or bzip2."`
	Checkpoint string `short:"c" required:"" placeholder:"FILE" in:"folder" predictor:"file" help:"Trained ComplEx embeddings: a safetensors or PyTorch file (CQD, QTO, FIT, LMPNN, LibKGE, PyKEEN), or NumPy's NAME_entity.npy of DGL-KE, or a folder of PyKEEN or DGL-KE; or FILE.efoc, to use that model with other facts."`
	Output     string `short:"o" required:"" placeholder:"FILE.efoc" out:"*" predictor:"model" help:"Model to write."`

	Entities  string `placeholder:"FILE" in:"" predictor:"file" help:"Table of id, name and label; by default searched for in the graph's folder."`
	Relations string `placeholder:"FILE" in:"" predictor:"file" help:"Table of id, name and label; by default searched for in the graph's folder."`
	Heldout   string `placeholder:"FILE" in:"" predictor:"file" help:"Further facts that no answer uses, to confirm predictions; by default heldout.tsv in the graph's folder."`

	graphFlags
	Name        string `placeholder:"NAME" help:"Name of the model; by default that of the graph's folder."`
	Description string `placeholder:"TEXT" help:"Description of the model."`
	typeRelationFlag

	Tensors   []string `group:"checkpoint" placeholder:"ENTITIES,RELATIONS" help:"Names of the two tensors."`
	RowNames  []string `group:"checkpoint" placeholder:"FILE,FILE" in:"" predictor:"file" help:"Tables of id and name that assign rows of the checkpoint to entities, and to relations; by default searched for beside the checkpoint. none instead of either: its rows are in the order of the graph's ids."`
	Layout    string   `group:"checkpoint" enum:"auto,halves,interleaved,real,pair" default:"auto" placeholder:"LAYOUT" help:"Layout of complex numbers: halves (all real parts, then all imaginary ones), interleaved (real and imaginary parts alternate, as in PyKEEN), or auto, which tries both on the graph's triples; real for DistMult and pair for CP (a vector as head, then one as tail) if the checkpoint does not say so (default: ${default})."`
	Inverse   string   `group:"checkpoint" enum:"auto,xor,offset,none" default:"auto" placeholder:"PLACE" help:"Rows of a relation and its inverse: xor (2i and 2i+1, as in BetaE), offset (i and i+|R|, as in kbc and LibKGE), none (no rows for inverses; conjugates are used), or auto (default: ${default})."`
	SkipCheck bool     `group:"checkpoint" help:"Do not check the embeddings against the graph; auto is then the usual layout of the trainer."`

	tableFlag
	newSettingsFlags
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
	if importer.IsBundle(c.Checkpoint) && (len(c.With) > 0 || c.Table != "int8") {
		return usagef("%s is a model, whose table and settings the new one has too: leave out --with and --table", c.Checkpoint)
	}
	// A graph of millions leaves much behind while it is read.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	var notes []string
	start := time.Now()
	options := importer.Options{
		Graph: c.Graph, Checkpoint: c.Checkpoint, Output: c.Output,
		Entities: c.Entities, Relations: c.Relations, Heldout: c.Heldout,
		EntityTensor: tensors[0], RelationTensor: tensors[1],
		EntityRows: rowNames[0], RelationRows: rowNames[1],
		Layout: importer.Layout{
			Parts:   importer.Parts(strings.TrimPrefix(c.Layout, "auto")),
			Inverse: importer.Inverse(strings.TrimPrefix(c.Inverse, "auto")),
		},
		Table: table, Exact: exact,
		SkipCheck: c.SkipCheck, Name: c.Name, Description: c.Description, TypeRelation: c.TypeRelation,
		Settings: s, Progress: a.bar.show,
		Note: func(text string) { notes = append(notes, text) },
	}
	c.graphFlags.addTo(&options)
	if !c.NoCalibration {
		options.Calibrate = func(ctx context.Context, m *model.Model, valid []model.Triple) error {
			text, err := a.calibrate(ctx, m, valid, c.calibration())
			notes = append(notes, text)
			return err
		}
	}
	manifest, err := importer.Import(a.ctx, options)
	if err != nil {
		return err
	}
	for _, note := range notes {
		if err := a.printf("%s\n", note); err != nil {
			return err
		}
	}
	return a.printf("wrote %s: %s, %d entities, %d relations, %d facts and %d held back, rank %d, in %s\n",
		c.Output, manifest.Name, manifest.Entities, manifest.Relations, manifest.Triples, manifest.Heldout, manifest.Rank,
		roundTime(time.Since(start).Seconds()))
}

// pair returns the two values of a flag, of entities and of relations; both are empty if it is
// not given.
func pair(flag string, values []string) ([2]string, error) {
	switch len(values) {
	case 0:
		return [2]string{}, nil
	case 2:
		return [2]string(values), nil
	}
	return [2]string{}, usagef("%s: want two values with a comma between them, for the entities and for the relations", flag)
}
