package compare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/query"
)

// Input is a graph of the folder of real inputs.
type Input struct {
	// Shared is that folder, Graph the name of the graph's own below data/.
	Shared, Graph string
}

// Dir returns the folder of the graph.
func (in Input) Dir() string { return filepath.Join(in.Shared, "data", in.Graph) }

// Check reports files that are missing.
func (in Input) Check(files ...string) error {
	for _, path := range append([]string{in.Dir()}, files...) {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w: set EFOC_SHARED or --shared to the folder that holds data/ and peer/", err)
		}
	}
	return nil
}

// Checkpoint returns the checkpoint in the folder of the graph, or the one asked for if
// that is not empty.
func (in Input) Checkpoint(asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	var found []string
	for _, pattern := range []string{"*.pt", "*.safetensors"} {
		files, err := filepath.Glob(filepath.Join(in.Dir(), pattern))
		if err != nil {
			return "", err
		}
		found = append(found, files...)
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s holds %d checkpoints, want 1: name it with --checkpoint", in.Dir(), len(found))
	}
	return found[0], nil
}

// Settings returns those that NSMP's paper has for the graph.
func (in Input) Settings() model.Settings {
	s := model.DefaultSettings()
	if in.Graph == "nell995" {
		s.Lambda, s.Alpha = 0.1, 1000
	}
	return s
}

// Import imports the graph into a bundle in the folder scratch and opens it.
func (in Input) Import(ctx context.Context, checkpoint string, s model.Settings, table model.TableType, scratch string) (*query.Model, error) {
	bundle := filepath.Join(scratch, in.Graph+".efoc")
	_, err := importer.Import(ctx, importer.Options{
		Graph: in.Dir(), Checkpoint: checkpoint, Output: bundle, Settings: s, Table: table,
		SkipCheck: true, // the answers are compared
	})
	if err != nil {
		return nil, err
	}
	return query.Open(bundle)
}
