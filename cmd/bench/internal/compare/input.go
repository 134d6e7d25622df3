package compare

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// Shapes are names of benchmark shapes; none, and "all", mean all of them.
type Shapes []string

// Validate reports a name that no shape has.
func (s Shapes) Validate() error {
	for _, name := range s.Names() {
		if _, err := lang.ShapeQuery(name); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names, nil for all shapes.
func (s Shapes) Names() []string {
	if slices.Equal(s, Shapes{"all"}) {
		return nil
	}
	return s
}

// dir returns the folder of the graph among the real inputs.
func (cmd *Peer) dir() string { return filepath.Join(cmd.Shared, "data", cmd.Graph) }

// program returns the PyTorch program.
func (cmd *Peer) program() string { return filepath.Join(cmd.Shared, "peer", "nsmp_torch.py") }

// findCheckpoint returns the checkpoint in the folder of a graph.
func findCheckpoint(dir string) (string, error) {
	var found []string
	for _, pattern := range []string{"*.pt", "*.safetensors"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", err
		}
		found = append(found, files...)
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s holds %d checkpoints, want 1: name it with --checkpoint", dir, len(found))
	}
	return found[0], nil
}

// paperSettings returns those that NSMP's paper has for a graph.
func paperSettings(graph string) model.Settings {
	s := model.DefaultSettings()
	if graph == "nell995" {
		s.Lambda, s.Alpha = 0.1, 1000
	}
	return s
}

// findPython returns an interpreter that has the packages that the programs import: the
// one asked for, or the first that fits. It also returns the version of PyTorch, which is
// 2 or later.
func findPython(ctx context.Context, asked string) (path, version string, err error) {
	const script = "import torch, scipy, numpy; assert int(torch.__version__.split('.')[0]) >= 2; print(torch.__version__)"
	candidates := []string{asked}
	if asked == "" {
		candidates = []string{"python3", "/usr/bin/python3"}
	}
	for _, c := range candidates {
		path, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		if out, err := exec.CommandContext(ctx, path, "-c", script).Output(); err == nil {
			return path, strings.TrimSpace(string(out)), nil
		}
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
	}
	return "", "", fmt.Errorf("no Python with PyTorch 2, scipy and numpy was found as %s: make an environment with "+
		"python3 -m venv DIR && DIR/bin/pip install torch scipy numpy, and name it with --python DIR/bin/python",
		strings.Join(candidates, " or "))
}
