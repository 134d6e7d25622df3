package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
		safetensors.FromFloat32s("embeddings.0.weight", table(5, 8), 5, 8),
		safetensors.FromFloat32s("embeddings.1.weight", table(4, 8), 4, 8),
	})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, command := range []string{"ask", "serve", "explain", "generate", "fmt", "bench", "convert", "eval", "tune", "calibrate", "import", "train", "info", "sample", "completion", "version"} {
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

func TestHelpLong(t *testing.T) {
	r := efoc(t, "--help-long")
	for _, text := range []string{"Exit status:", "--checkpoint=", "--listen=", "--lambda=", "Usage: efoc version"} {
		r.want(t, statusOK, text, "")
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ask", "--frmat", "json", `r("a", x)`}, `did you mean "--format"?`},
		{[]string{"ask", "--frmat", "json", `r("a", x)`}, "try: efoc ask --help"},
		{[]string{"ask", "--format", "xml", `r("a", x)`}, "must be one of"},
		{[]string{"ask", "-k", "many", `r("a", x)`}, "many"},
		{[]string{"ask", "-k", "0", `r("a", x)`}, "-k is 0, want 1 or more"},
		{[]string{"ask", "--sets", "-1", `r("a", x)`}, "-1"},
		{[]string{"ask", "--engine", "fast", `r("a", x)`}, "must be one of"},
		{[]string{"ask"}, "no query given"},
		{[]string{"ask", `r("a", x)`, "--shape", "2p"}, "several queries given"},
		{[]string{"ask", "--query", "Q", `r("a", x)`}, "--query Q picks a template"},
		{[]string{"ask", "--shape", "2q"}, `unknown shape "2q"; did you mean`},
		{[]string{"ask", `r("a", x)`, "and", "more"}, "unexpected argument and"},
		{[]string{"generate"}, "expected"},
		{[]string{"import", "folder"}, "missing flags"},
		{[]string{"frob"}, "unexpected argument frob"},
		{[]string{"completion", "tcsh"}, "must be one of"},
		{[]string{"explain", "--layers", "999", `r("a", x)`}, "--layers is 999, want 0 to 64"},
		{[]string{"explain", "--layers", "1", `exists x. r("a", x) & r(x, y)`}, "choose 2 or more"},
		{[]string{"info", "--find", "x", "--relations"}, "can't be used together"},
		{[]string{"info", "--find", "x", "-n", "0"}, "--limit is 0"},
		{[]string{"generate", "a.efo", "b.efo", "--out", "c.go"}, "--out takes one file"},
		{[]string{"import", "folder", "-c", "c", "-o", "o", "--lambda", "2"}, "--lambda is 2, want 0 to 1"},
		{[]string{"import", "folder", "-c", "c", "-o", "o", "--entity-tensor", "e"}, "give both --entity-tensor and --relation-tensor"},
	} {
		r := efoc(t, c.args...)
		r.want(t, statusUsage, "", c.want)
		if r.stdout != "" {
			t.Errorf("efoc %q printed to stdout: %s", c.args, r.stdout)
		}
	}
}

func TestInterrupted(t *testing.T) {
	model := towns(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"ask", "--model", model, `road("ash", x)`},
		{"ask", "--model", model, "-"},
		{"info", model},
		{"import", townFolder(t), "-c", filepath.Join(t.TempDir(), "x"), "-o", filepath.Join(t.TempDir(), "y")},
	} {
		var stdout, stderr bytes.Buffer
		never, w, err := os.Pipe() // nothing is ever written
		if err != nil {
			t.Fatal(err)
		}
		status := runContext(ctx, args, never, &stdout, &stderr)
		w.Close()
		result{status, stdout.String(), stderr.String()}.want(t, statusInterrupted, "", "efoc: interrupted\n")
	}
}

func TestVersion(t *testing.T) {
	efoc(t, "version").want(t, statusOK, "bundle format", "")
	efoc(t, "version").want(t, statusOK, ", kernels ", "")
	efoc(t, "version", "--format", "json").want(t, statusOK, `"bundle_format": `, "")
	efoc(t, "--version").want(t, statusOK, "bundle format", "")
}

func TestCompletion(t *testing.T) {
	efoc(t, "completion", "-c", "bash").want(t, statusOK, "complete -o default", "")
	for line, want := range map[string]string{
		"efoc ex":                "explain\n",
		"efoc explain --shape 3": "3cm\n",
		"efoc ask --format ":     "tsv\n",
	} {
		t.Setenv("COMP_LINE", line)
		efoc(t).want(t, statusOK, want, "")
	}
}
