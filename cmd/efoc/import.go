package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/efoc/efoc/runtime/model/importer"
)

// importCmd makes a bundle.
type importCmd struct {
	Graph      string `arg:"" predictor:"file" help:"Folder of a graph (BetaE, FIT, LibKGE, or train.tsv with entities.tsv and relations.tsv), or a file of triples, N-Triples too. Text may be compressed with gzip or zstd."`
	Checkpoint string `short:"c" required:"" placeholder:"FILE" predictor:"file" help:"Trained ComplEx embeddings: a safetensors or PyTorch file (CQD, QTO, FIT, LMPNN, LibKGE, PyKEEN), or NumPy's NAME_entity.npy of DGL-KE, or a folder of PyKEEN or DGL-KE."`
	Output     string `short:"o" required:"" placeholder:"FILE.efoc" predictor:"model" help:"Model to write."`

	Entities  string `placeholder:"FILE" predictor:"file" help:"Table of id, name and label; looked for in the graph's folder if not given."`
	Relations string `placeholder:"FILE" predictor:"file" help:"Table of id, name and label; looked for in the graph's folder if not given."`
	Heldout   string `placeholder:"FILE" predictor:"file" help:"Further facts that no answer uses, to confirm predictions with; heldout.tsv in the graph's folder if not given."`

	graphFlags
	Name        string `placeholder:"NAME" help:"Name of the model; that of the graph's folder if not given."`
	Description string `placeholder:"TEXT" help:"What the model is about."`

	EntityTensor   string `group:"checkpoint" placeholder:"NAME" help:"Tensor of the entities."`
	RelationTensor string `group:"checkpoint" placeholder:"NAME" help:"Tensor of the relations."`
	EntityRows     string `group:"checkpoint" placeholder:"FILE" predictor:"file" help:"Table of id and name that says which row of the checkpoint belongs to which name; looked for beside the checkpoint if not given. none: the rows are in the order of the graph's ids."`
	RelationRows   string `group:"checkpoint" placeholder:"FILE" predictor:"file" help:"The same for relations."`
	Layout         string `group:"checkpoint" enum:"auto,halves,interleaved" default:"auto" placeholder:"LAYOUT" help:"Complex numbers: halves (all real parts, then all imaginary ones), interleaved (real and imaginary parts alternate, as in PyKEEN), or auto, which tries both on the graph's triples (default: ${default})."`
	Inverse        string `group:"checkpoint" enum:"auto,xor,offset,none" default:"auto" placeholder:"PLACE" help:"Row of the inverse of a relation: xor (rows 2i and 2i+1, as in BetaE), offset (rows i and i+|R|, as in kbc and LibKGE), none (no rows, the conjugates are taken), or auto (default: ${default})."`
	SkipCheck      bool   `group:"checkpoint" help:"Do not compare the embeddings with the graph; auto is then the usual layout of the trainer."`

	tableFlags
	newSettingsFlags
}

// Help shows examples.
func (c *importCmd) Help() string {
	return `Puts a graph, embeddings and settings into one file, which ask and info take with --model. How the embeddings are laid
out is found by scoring the graph's triples; embeddings that do not distinguish these from random ones are refused. Tables of
names beside the checkpoint (LibKGE's entity_ids.del, PyKEEN's entity_to_id.tsv.gz, entities.tsv) give the
order of its rows. Nothing in a checkpoint is executed.

Examples:

    efoc import FB15k-237-betae -c complex.pt -o fb15k-237.efoc
    efoc import data/fb15k-237 -c checkpoint_best.pt -o libkge.efoc
    efoc import train.nt.zst -c pykeen-run/ -o pykeen.efoc
    efoc import FB15k -c ckpts/ComplEx_FB15k_0 -o dglke.efoc
    efoc import triples.tsv --entities e.tsv --relations r.tsv -c model.safetensors -o my.efoc --lambda 0.1 --alpha 1000`
}

// Run makes the bundle.
func (c *importCmd) Run(a *app) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	if err := c.checkTable(); err != nil {
		return err
	}
	if (c.EntityTensor == "") != (c.RelationTensor == "") {
		return usagef("give both --entity-tensor and --relation-tensor, or neither")
	}
	if err := checkApart([]namedFile{{"--output", c.Output}}, []namedFile{
		{"GRAPH", c.Graph}, {"--checkpoint", c.Checkpoint}, {"--entities", c.Entities}, {"--relations", c.Relations},
		{"--heldout", c.Heldout}, {"--entity-rows", c.EntityRows}, {"--relation-rows", c.RelationRows},
	}); err != nil {
		return err
	}
	bar := newBar(a.stderr)
	var notes []string
	start := time.Now()
	manifest, err := importer.Import(a.ctx, importer.Options{
		Graph: c.Graph, Checkpoint: c.Checkpoint, Output: c.Output,
		Separator: importer.Separator(c.Separator), Entities: c.Entities, Relations: c.Relations, Heldout: c.Heldout,
		EntityTensor: c.EntityTensor, RelationTensor: c.RelationTensor,
		EntityRows: c.EntityRows, RelationRows: c.RelationRows,
		Layout: importer.Layout{Parts: importer.Parts(stated(c.Layout)), Inverse: importer.Inverse(stated(c.Inverse))},
		Table:  c.table(), Exact: c.exact(),
		SkipCheck: c.SkipCheck, Name: c.Name, Description: c.Description,
		Settings: s, Progress: bar.show,
		Note: func(text string) { notes = append(notes, text) },
	})
	bar.clear()
	if err != nil {
		return err
	}
	for _, note := range notes {
		if _, err := fmt.Fprintln(a.stdout, note); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s: %s, %d entities, %d relations, %d facts and %d held back, rank %d, in %s\n",
		c.Output, manifest.Name, manifest.Entities, manifest.Relations, manifest.Triples, manifest.Heldout, manifest.Rank,
		roundTime(time.Since(start).Seconds()))
	return err
}

// stated is the value of a flag, nothing for auto.
func stated(flag string) string {
	if flag == "auto" {
		return ""
	}
	return flag
}

// bar shows on a terminal how far each stage is.
type bar struct {
	w     io.Writer // nil where there is no terminal
	stage string
	bar   *progressbar.ProgressBar
}

func newBar(w io.Writer) *bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &bar{w: w}
}

// show moves the bar; a new stage starts a new one. total is 0 if unknown.
func (b *bar) show(stage string, done, total int64) {
	if b.w == nil {
		return
	}
	if stage != b.stage {
		b.clear()
		b.stage = stage
		b.bar = progressbar.NewOptions64(barTotal(total),
			progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			// Without this an unfinished bar goes on drawing by itself.
			progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionShowBytes(stage == importer.StageWrite))
	}
	// What cannot be shown does not matter.
	if total > 0 {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
}

// barTotal returns the length of a bar, -1 if it is unknown.
func barTotal(total int64) int64 {
	if total <= 0 {
		return -1
	}
	return total
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
		b.bar = nil
	}
}
