package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// result is what a run of the program gave.
type result struct {
	status         int
	stdout, stderr string
}

// efoc runs the program in process.
func efoc(t *testing.T, args ...string) result { return efocInput(t, "", args...) }

// efocInput runs the program with a text as standard input.
func efocInput(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr)
	if text := stdout.String() + stderr.String(); strings.Contains(text, "goroutine ") || strings.Contains(text, "panic:") {
		t.Fatalf("efoc %q printed a stack trace:\n%s", args, text)
	}
	return result{status, stdout.String(), stderr.String()}
}

// interrupted runs the program in process until the context ends; nothing comes on its standard
// input, which stays open.
func interrupted(ctx context.Context, t *testing.T, args ...string) result {
	t.Helper()
	never, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	defer never.Close()
	var stdout, stderr bytes.Buffer
	status := runContext(ctx, args, never, &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// want checks the exit status and that the outputs contain texts.
func (r result) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if r.status != status || !strings.Contains(r.stdout, stdout) || !strings.Contains(r.stderr, stderr) {
		t.Errorf("status %d, stdout:\n%s\nstderr:\n%s\nwant status %d, stdout with %q, stderr with %q",
			r.status, r.stdout, r.stderr, status, stdout, stderr)
	}
}

// write writes a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// townFolder writes a graph of five towns and its embeddings to a folder. The
// embeddings are small noise, so the graph decides the answers.
func townFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "towns")
	write(t, filepath.Join(dir, "entities.tsv"), "0\tash\tAshford\n1\tbirch\tBirchwood\n2\tcedar\tCedar Hill\n3\tdale\tDale\n4\telm\tElmstead\n")
	write(t, filepath.Join(dir, "relations.tsv"), "0\troad\n1\ttwin\n")
	write(t, filepath.Join(dir, "train.tsv"), "ash\troad\tbirch\nbirch\troad\tcedar\ncedar\troad\tdale\nash\ttwin\tdale\n")
	write(t, filepath.Join(dir, "heldout.tsv"), "dale\troad\telm\n")
	noise := rand.New(rand.NewPCG(1, 2))
	table := func(rows, width int) []float32 {
		values := make([]float32, rows*width)
		for i := range values {
			values[i] = float32(noise.NormFloat64()) / 10
		}
		return values
	}
	var b bytes.Buffer
	err := safetensors.Write(&b, nil, []safetensors.Tensor{
		safetensors.From("embeddings.0.weight", table(5, 8), 5, 8),
		safetensors.From("embeddings.1.weight", table(4, 8), 4, 8),
	})
	require.NoError(t, err)
	write(t, filepath.Join(dir, "model.safetensors"), b.String())
	return dir
}

// towns imports the towns and returns the model's path.
func towns(t *testing.T) string {
	t.Helper()
	dir := townFolder(t)
	path := filepath.Join(t.TempDir(), "towns.efoc")
	efoc(t, "import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", path, "--skip-check").
		want(t, statusOK, "towns, 5 entities, 2 relations, 4 facts and 1 held back, rank 4", "")
	return path
}

func TestHelp(t *testing.T) {
	efoc(t).want(t, statusUsage, "", "Usage: efoc <command>")
	top := efoc(t, "--help")
	top.want(t, statusOK, "Exit status:", "")
	for _, command := range []string{"ask", "serve", "explain", "generate", "fmt", "bench", "eval", "calibrate", "import", "train", "info", "sample"} {
		if !strings.Contains(top.stdout, "  "+command+" ") {
			t.Errorf("help lacks command %s", command)
		}
		help := efoc(t, command, "--help")
		help.want(t, statusOK, "Usage: efoc "+command, "")
		if !strings.Contains(help.stdout, "Example") || !strings.Contains(help.stdout, "    efoc "+command) && !strings.Contains(help.stdout, "(efoc "+command) {
			t.Errorf("help of %s has no example:\n%s", command, help.stdout)
		}
		if strings.Contains(help.stdout, "${") || strings.Contains(help.stdout, "$$") {
			t.Errorf("help of %s has a variable that was not filled in:\n%s", command, help.stdout)
		}
	}
}

// TestFlagCount bounds the flags that the help of all commands shows, in this build.
func TestFlagCount(t *testing.T) {
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	const most = 188
	var counts []string
	count := 0
	for _, command := range parser.Model.Leaves(false) {
		hideFlags(command.Flags, lacking)
		visible := slices.DeleteFunc(slices.Clone(command.Flags), func(f *kong.Flag) bool { return f.Hidden })
		counts = append(counts, fmt.Sprintf("%s %d", command.Name, len(visible)))
		count += len(visible)
	}
	t.Logf("%d flags: %s", count, strings.Join(counts, ", "))
	if count > most {
		t.Errorf("there are %d flags, more than %d", count, most)
	}
}

func TestInterrupted(t *testing.T) {
	model := towns(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"ask", "--model", model, `road("ash", x)`},
		{"ask", "--model", model, "-"},
		{"bench", "--model", model, `road("ash", x)`},
		{"info", model},
		{"import", townFolder(t), "-c", filepath.Join(t.TempDir(), "x"), "-o", filepath.Join(t.TempDir(), "y")},
	} {
		interrupted(ctx, t, args...).want(t, statusInterrupted, "", "efoc: interrupted\n")
	}
}
