package compare

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
)

// field is a graph with its queries and the engines that answer them.
type field struct {
	cmd      *Peer
	settings model.Settings
	// checkpoint holds the embeddings; scratch is a folder for temporary files.
	checkpoint, scratch string
	model               *runtime.Model
	groups              []*queryset.Group
	contenders          []*contender
	out                 *cli.Output
}

// open reads the queries and imports the graph into a temporary bundle. The field is to
// be closed even if that fails.
func (f *field) open(ctx context.Context) (err error) {
	dir := f.cmd.dir()
	queries := cmp.Or(f.cmd.Queries, filepath.Join(dir, "queries-dev.jsonl"))
	for _, path := range []string{f.cmd.program(), dir, queries} {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w: set EFOC_SHARED or --shared to the folder that holds data/ and peer/", err)
		}
	}
	if err := f.read(ctx, queries); err != nil {
		return err
	}
	f.settings = model.DefaultSettings()
	if f.cmd.Graph == "nell995" { // as in NSMP's paper
		f.settings.Lambda, f.settings.Alpha = 0.1, 1000
	}
	f.scratch, err = os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	f.checkpoint = f.cmd.Checkpoint
	if f.checkpoint == "" {
		found, _ := fs.Glob(os.DirFS(dir), "*.pt")
		more, _ := fs.Glob(os.DirFS(dir), "*.safetensors")
		found = append(found, more...)
		if len(found) != 1 {
			return fmt.Errorf("%s holds %d checkpoints, want 1: name it with --checkpoint", dir, len(found))
		}
		f.checkpoint = filepath.Join(dir, found[0])
	}
	f.out.Progress("%s: import", f.cmd.Graph)
	bundle := filepath.Join(f.scratch, f.cmd.Graph+".efoc")
	_, err = importer.Import(ctx, importer.Options{
		Graph: dir, Checkpoints: []string{f.checkpoint}, Output: bundle, Settings: f.settings, Table: f.cmd.Table,
		SkipCheck: true, // the answers are compared
	})
	if err != nil {
		return err
	}
	f.model, err = runtime.Open(bundle)
	return err
}

// read adds the queries of a file, which are to be of the benchmark's shapes: those that
// the program in PyTorch knows.
func (f *field) read(ctx context.Context, file string) error {
	set, warnings, err := queryset.Open(ctx, file, queryset.Options{Limit: int(f.cmd.Limit)})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		f.out.Progress("warning: %s", w)
	}
	for _, g := range set.Groups {
		if _, err := benchmark.Query(g.Name); err != nil {
			return fmt.Errorf("%s: only the benchmark's shapes can be compared: %w", file, err)
		}
		if len(f.cmd.Types) == 0 || slices.Contains(f.cmd.Types, g.Name) {
			f.groups = append(f.groups, g)
		}
	}
	if len(f.groups) == 0 {
		return fmt.Errorf("%s has no queries of shapes %s", file, strings.Join(f.cmd.Types, ", "))
	}
	return nil
}

// close closes the model and removes the temporary files.
func (f *field) close() {
	if f.model != nil {
		f.model.Close()
	}
	if f.scratch != "" {
		os.RemoveAll(f.scratch)
	}
}

// rounds lets the contenders answer all queries in turn.
func (f *field) rounds(ctx context.Context) error {
	order := slices.Clone(f.contenders)
	for round := range int(f.cmd.Rounds) {
		for _, c := range order {
			f.out.Progress("%s: round %d of %d: %s", f.cmd.Graph, round+1, f.cmd.Rounds, c.name)
			if err := f.turn(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		slices.Reverse(order)
	}
	return nil
}
