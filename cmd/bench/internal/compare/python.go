package compare

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// needs are the Python packages that the peer imports.
var needs = []string{"torch", "scipy", "numpy"}

// FindPython returns an interpreter that has what the peer needs: the one asked
// for, or the first that fits.
func FindPython(ctx context.Context, asked string) (string, error) {
	candidates := []string{asked}
	if asked == "" {
		candidates = []string{"python3", "/usr/bin/python3"}
	}
	for _, c := range candidates {
		path, err := exec.LookPath(c)
		if err != nil {
			continue
		}
		if exec.CommandContext(ctx, path, "-c", "import "+strings.Join(needs, ", ")).Run() == nil {
			return path, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return "", fmt.Errorf("no Python with %s was found as %s: install it, on Debian with "+
		"apt-get install python3-torch python3-scipy libopenblas0-pthread, or name it with --python",
		strings.Join(needs, ", "), strings.Join(candidates, " or "))
}
