//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestProgram is the program itself: other tests run it as a separate process, to
// kill it or to limit what it may do.
func TestProgram(t *testing.T) {
	if os.Getenv("EFOC_TEST_PROGRAM") == "" {
		return
	}
	if size, err := strconv.ParseUint(os.Getenv("EFOC_TEST_FILE_SIZE"), 10, 63); err == nil {
		limit := syscall.Rlimit{Cur: size, Max: size}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	}
	if os.Getenv("EFOC_TEST_NOBODY") != "" && os.Geteuid() == 0 {
		// Permissions do not bind root.
		require.NoError(t, syscall.Setuid(65534))
	}
	os.Exit(run(flag.Args(), os.Stdin, os.Stdout, os.Stderr))
}

// program returns the program as a process that is yet to start. Its outputs are
// kept; it finds no model but those that it is given.
func program(env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = exec.Command(os.Args[0], append([]string{"-test.run=^TestProgram$", "--"}, args...)...)
	cmd.Env = append(append(os.Environ(), "EFOC_TEST_PROGRAM=1", "EFOC_MODEL="), env...)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// runProgram runs the program to its end.
func runProgram(t *testing.T, env []string, args ...string) result {
	t.Helper()
	cmd, stdout, stderr := program(env, args...)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// job is a command that writes files into a folder.
type job struct {
	name string
	// args are those of the command; old makes another version of the output
	// first, nil where a command replaces nothing.
	args, old func(out string) []string
	// target is the output, whose bytes do not depend on the run, if there is one. stated are
	// outputs of JSON that hold times: they are only to be well-formed.
	target string
	stated []string
	// kept are files for going on after a kill; resume is the flag that asks for
	// it, once the first of them is there.
	kept   []string
	resume string
	// fresh says that the command refuses to replace an output.
	fresh bool
}

// output is the file that the command writes, which may hold times.
func (j *job) output() string {
	if j.target == "" {
		return j.stated[0]
	}
	return j.target
}

// with returns a function that puts a folder before the names that follow {}.
func with(words ...string) func(out string) []string {
	return func(out string) []string {
		list := slices.Clone(words)
		for i, w := range list {
			list[i] = strings.ReplaceAll(w, "{}", out)
		}
		return list
	}
}

// jobs returns every command that writes, with inputs that it makes in a folder. Without long tests
// it returns two: one that replaces a file, and one that makes a folder.
func jobs(t *testing.T, in string) []job {
	t.Helper()
	at := func(name string) string { return filepath.Join(in, name) }
	world := at("world")
	require.NoError(t, os.CopyFS(world, os.DirFS("world")))
	require.NoError(t, os.CopyFS(at("clock"), os.DirFS(clockFolder(t))))
	atlas, err := os.ReadFile(filepath.Join("..", "..", "testdata", "downstream", "atlas.efo"))
	require.NoError(t, err)
	write(t, at("atlas.efo"), string(atlas))
	model, queries := filepath.Join(world, "world.efoc"), at("queries.jsonl")
	worldFolder(t, at("graph"))
	efoc(t, "sample", "-g", at("graph"), "--split", "valid", "--shape", "2p,2i,2in", "-n", "10", "-o", queries).want(t, statusOK, "wrote 30 queries", "")

	imports := []string{"import", world, "-c", filepath.Join(world, "predictor.safetensors"), "-o", "{}/m.efoc", "--no-calibration"}
	training := []string{"train", at("clock"), "-o", "{}/m.efoc", "--rank", "16", "--epochs", "12", "--trainer", "patience=0", "--trainer", "batch=20", "--no-calibration"}
	evaluation := []string{"eval", "-m", model, queries, "--json", "{}/e.json"}
	sampling := []string{"sample", "-m", model, "--shape", "2p,3in,2in", "-n", "20", "-o", "{}/q.jsonl"}
	rows := write(t, at("rows.jsonl"), strings.Repeat("{\"country\": \"Frence\"}\n{\"country\": 7}\n", 2000))
	answering := []string{"answer", write(t, at("bulk.efo"), bulk), "-m", model, "-q", "Languages", "--keep-going", "-o", "{}/a.jsonl"}
	more := func(list []string, words ...string) func(string) []string {
		return with(append(slices.Clone(list), words...)...)
	}
	all := []job{
		{name: "import", args: with(imports...), old: more(imports, "--with", "lambda=0.5"), target: "m.efoc"},
		{name: "train", args: with(training...), target: "m.efoc", stated: []string{"m.train.json"}, kept: []string{"m.ckpt"}, resume: "--resume"},
		{name: "train anew", args: more(training, "--restart"), old: more(training, "--trainer", "seed=2"), target: "m.efoc", stated: []string{"m.train.json"}, kept: []string{"m.ckpt"}},
		{name: "eval", args: more(evaluation, "--state", "{}/e.state"), old: more(evaluation, "--limit", "3"), stated: []string{"e.json"}, kept: []string{"e.state"}},
		{name: "sample", args: with(sampling...), old: more(sampling, "--seed", "9"), target: "q.jsonl"},
		// Rows that are refused have the same lines, whichever ran together.
		{name: "answer", args: more(answering, "--rows", rows), old: more(answering, "--rows", rows, "-k", "2"), target: "a.jsonl", kept: []string{"a.jsonl.part"}, resume: "--resume"},
		{name: "calibrate", args: with("calibrate", model, "-g", at("graph"), "--only", "confidence", "--limit", "2", "-o", "{}/m.efoc"), old: more(imports, "--with", "lambda=0.5"), target: "m.efoc"},
		{name: "generate", args: with("generate", at("atlas.efo"), "--package", "atlas", "-o", "{}/atlas_efo.go"),
			old: with("generate", at("atlas.efo"), "--package", "other", "-o", "{}/atlas_efo.go"), target: "atlas_efo.go"},
		{name: "split folder", args: with("split", model, "-n", "3", "-o", "{}/shards"), target: "shards", fresh: true},
	}
	return long.Or(all, []job{all[0], all[len(all)-1]})
}

// command returns the arguments for going on in a folder.
func (j *job) command(out string) []string {
	args := j.args(out)
	if j.resume != "" {
		if _, err := os.Stat(filepath.Join(out, j.kept[0])); err == nil {
			args = append(args, j.resume)
		}
	}
	return args
}

// run runs the job to its end, and expects it to succeed.
func (j *job) run(t *testing.T, args []string) {
	t.Helper()
	if r := runProgram(t, nil, args...); r.status != statusOK {
		t.Fatalf("efoc %s: status %d\n%s%s", strings.Join(args, " "), r.status, r.stdout, r.stderr)
	}
}

// newFolder makes a folder for the output, with the version before if there is one.
func (j *job) newFolder(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	if j.old != nil {
		j.run(t, j.old(out))
	}
	return out
}

// content is what lies in a folder, by path.
type content map[string]string

// read reads a folder.
func read(t *testing.T, folder string) content {
	t.Helper()
	c := content{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		c[name] = string(text)
		return err
	})
	require.NoError(t, err)
	return c
}

// of returns the files of an output, which is one or a folder.
func (c content) of(target string) content {
	part := content{}
	for name, text := range c {
		if name == target || strings.HasPrefix(name, target+"/") {
			part[name] = text
		}
	}
	return part
}

// names lists the files.
func (c content) names() []string { return slices.Sorted(maps.Keys(c)) }

// isTemporary reports whether a file or its folder has the name of a temporary one.
func isTemporary(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.HasPrefix(first, ".") && strings.HasSuffix(first, ".tmp")
}

// check checks that every output is absent, as it was, or as an undisturbed run
// leaves it, and that there is nothing else but what is kept and temporary files,
// which it counts.
func (j *job) check(t *testing.T, got, before, after content) (temporary int) {
	t.Helper()
	if target := got.of(j.target); !maps.Equal(target, before.of(j.target)) && !maps.Equal(target, after.of(j.target)) {
		t.Errorf("%s is neither what it was nor what it is to be", j.target)
	}
	for name, text := range got {
		_, known := after[name]
		switch {
		case isTemporary(name):
			temporary++
		case slices.Contains(j.stated, name):
			if !json.Valid([]byte(text)) {
				t.Errorf("%s is not whole:\n%s", name, text)
			}
		case !known && !slices.Contains(j.kept, name):
			t.Errorf("%s was left behind", name)
		}
	}
	return temporary
}
