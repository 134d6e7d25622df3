package believe

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/testdata/require"
)

const world = "../../../efoc/world"

// TestRun measures the world's model, whose facts held back are its test split, twice.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, as := range map[string]string{"entities.tsv": "", "relations.tsv": "", "train.tsv": "", "heldout.tsv": "test.tsv"} {
		text, err := os.ReadFile(filepath.Join(world, name))
		require.NoError(t, err)
		if as == "" {
			as = name
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, as), text, 0o644))
	}

	var first string
	for range 2 {
		status, text := run(t, dir, "-m", filepath.Join(world, "world.efoc"), "--questions", "30")
		for _, want := range []string{"h has facts of r", "held out, as efoc eval reports it", "tails in range"} {
			if status != cli.StatusOK || !strings.Contains(text, want) {
				t.Fatalf("status %d, want a report with %q:\n%s", status, want, text)
			}
		}
		if first == "" {
			first = text
		} else if text != first {
			t.Errorf("the same seed gives\n%s\nand\n%s", first, text)
		}
	}
}

// TestRunErrors gives a model of all facts, and embeddings that have seen them.
func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{filepath.Join(world, "train.tsv"), "-m", filepath.Join(world, "world.efoc")}, "facts put aside: it was made of all facts"},
		{[]string{filepath.Join(world, "train.tsv"), "-c", "x"}, "has no test split"},
		{[]string{filepath.Join(world, "train.tsv"), "--efoc", "/nowhere/efoc"}, "/nowhere/efoc train: "},
	} {
		if status, text := run(t, c.args...); status != cli.StatusFailure || !strings.Contains(text, c.want) {
			t.Errorf("%q: status %d, want a failure with %q:\n%s", c.args, status, c.want, text)
		}
	}
}

// run runs the command and returns its status and what it printed.
func run(t *testing.T, args ...string) (status int, text string) {
	t.Helper()
	var out bytes.Buffer
	status = cli.Run(t.Context(), "believe", "", &Command{}, args, &out, &out)
	return status, out.String()
}
