package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/testdata/require"
)

// TestApart checks that no command replaces what it reads, under any name of it.
func TestApart(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	queries := filepath.Join(dir, "q.jsonl")
	efoc(t, "sample", "--shape", "2p", "-n", "3", "-o", queries).want(t, statusOK, "wrote 3 queries", "")
	require.NoError(t, os.Chmod(queries, 0o444))
	hard, soft := filepath.Join(dir, "hard.jsonl"), filepath.Join(dir, "soft.jsonl")
	if err := os.Link(queries, hard); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if err := os.Symlink(queries, soft); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	graph := townFolder(t)
	facts := filepath.Join(graph, "train.tsv")
	model := filepath.Join(dir, "town.efoc")
	efoc(t, "train", graph, "-o", model, "--epochs", "1", "--rank", "4").want(t, statusOK, "wrote", "")
	efo := write(t, filepath.Join(dir, "q.efo"), "query Near(c entity) y = borders($c, y)\n")
	part := write(t, filepath.Join(dir, "z.jsonl.part"), "part\n")
	rows := write(t, filepath.Join(dir, "w_ids.tsv"), "0\tash\n")
	write(t, filepath.Join(dir, "w_entity.npy"), "")
	journal := write(t, model+".journal", "")
	shards := filepath.Join(dir, "shards")
	write(t, filepath.Join(shards, "head.efoc"), "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"eval", queries, "--json", queries}, "--json " + queries + " would replace QUERIES " + queries + ", which is read"},
		{[]string{"eval", queries, "--json", filepath.Join(dir, ".", "x", "..", "q.jsonl")}, "would replace QUERIES"},
		{[]string{"eval", queries, "--json", hard}, "would replace QUERIES"},
		{[]string{"eval", queries, "--json", soft}, "would replace QUERIES"},
		{[]string{"eval", soft, "--json", hard}, "would replace QUERIES"},
		{[]string{"eval", queries, "--state", hard}, "would replace QUERIES"},
		{[]string{"eval", queries, "--model", model, "--json", model}, "would replace --model"},
		{[]string{"eval", queries, "--reliability-plot", filepath.Join(dir, "r.svg"), "--json", filepath.Join(dir, "r.svg")}, "is the file of"},
		{[]string{"bench", "--queries", queries, "--json", soft}, "would replace --queries"},
		{[]string{"sample", "--file", efo, "-o", efo}, "would replace --file"},
		{[]string{"sample", "--graph", graph, "-o", facts}, "would replace --graph " + facts},
		{[]string{"sample", "--model", model, "-o", model}, "would replace --model"},
		{[]string{"train", graph, "-o", facts}, "would replace GRAPH " + facts},
		{[]string{"train", facts, "-o", filepath.Join(dir, "new.efoc"), "--embeddings", facts}, "would replace GRAPH"},
		{[]string{"train", graph, "-o", filepath.Join(dir, "new.ckpt")}, "is the file of"},
		{[]string{"import", graph, "-c", queries, "-o", hard}, "would replace --checkpoint"},
		{[]string{"import", graph, "-c", queries, "-o", facts}, "would replace GRAPH"},
		{[]string{"import", facts, "-c", filepath.Join(dir, "w_entity.npy"), "-o", rows}, "would replace --checkpoint " + rows},
		{[]string{"calibrate", model, "-g", graph, "-o", facts}, "would replace --graph"},
		{[]string{"bench", "--file", efo, "--json", efo}, "would replace --file"},
		{[]string{"bench", "--sparql", queries, "--json", soft}, "would replace --sparql"},
		{[]string{"generate", efo, "-o", efo}, "would replace FILE.EFO"},
		{[]string{"generate", efo, "-m", model, "-o", model}, "would replace --model"},
		{[]string{"answer", efo, "-o", efo}, "--output " + efo + " would replace TEMPLATES"},
		{[]string{"answer", efo, "--model", model, "-o", model}, "would replace --model"},
		{[]string{"answer", efo, "--rows", queries, "-o", hard}, "would replace --rows"},
		{[]string{"answer", efo, "--rows", part, "-o", strings.TrimSuffix(part, ".part")}, "the file beside --output, " + part + " would replace --rows"},
		{[]string{"answer", part, "-o", strings.TrimSuffix(part, ".part")}, "would replace TEMPLATES"},
		{[]string{"answer", efo, "--model", shards, "-o", filepath.Join(shards, "head.efoc")}, "would replace --model"},
		{[]string{"split", model, "-n", "2", "-o", model}, "would replace MODEL"},
		{[]string{"add", model, journal}, "would replace FACTS"},
	} {
		inputs := []string{queries, model, facts, efo, part, rows, journal}
		before := contents(t, inputs...)
		efoc(t, c.args...).want(t, statusUsage, "", c.want)
		if after := contents(t, inputs...); !bytes.Equal(after, before) {
			t.Fatalf("efoc %v changed what it reads", c.args)
		}
	}
	require.NoError(t, os.Remove(journal))
	// A model or report that lies beside the data may be replaced by a new one.
	inside := filepath.Join(graph, "town.efoc")
	for range 2 {
		efoc(t, "train", graph, "-o", inside, "--restart", "--epochs", "1", "--rank", "4").want(t, statusOK, "wrote", "")
	}
}

// TestApartStreams redirects standard input and output from and to a file that the command
// would replace or read.
func TestApartStreams(t *testing.T) {
	dir := t.TempDir()
	efo := write(t, filepath.Join(dir, "q.efo"), bulk)
	rows := write(t, filepath.Join(dir, "rows.jsonl"), "{\"query\": \"Languages\", \"country\": \"France\"}\n")
	facts := write(t, filepath.Join(dir, "m.efoc.journal"), "a\tr\tb\n")
	for _, c := range []struct {
		stdin, stdout string
		args          []string
		want          string
	}{
		{rows, "", []string{"answer", efo, "-o", rows}, "--output " + rows + " would replace standard input"},
		{rows, rows, []string{"answer", efo}, "standard output would replace standard input"},
		{"", rows, []string{"answer", efo, "--rows", rows}, "standard output would replace --rows"},
		{efo, "", []string{"bench", "--sparql", "-", "--json", efo}, "--json " + efo + " would replace standard input"},
		{facts, "", []string{"add", strings.TrimSuffix(facts, ".journal"), "-"}, "would replace standard input"},
		{efo, efo, []string{"fmt"}, "standard output would replace standard input"},
	} {
		before := contents(t, efo, rows, facts)
		var stdin, stdout *os.File
		var err error
		stdin, err = os.Open(cmp.Or(c.stdin, os.DevNull))
		require.NoError(t, err)
		defer stdin.Close()
		stdout, err = os.OpenFile(cmp.Or(c.stdout, os.DevNull), os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		defer stdout.Close()
		var stderr bytes.Buffer
		status := run(c.args, stdin, stdout, &stderr)
		result{status, "", stderr.String()}.want(t, statusUsage, "", c.want)
		if after := contents(t, efo, rows, facts); !bytes.Equal(after, before) {
			t.Errorf("efoc %v changed what it reads", c.args)
		}
	}
}

// TestApartTags checks that every flag and argument that names a file says whether the command
// reads or writes it.
func TestApartTags(t *testing.T) {
	parser, err := kong.New(&cli{})
	require.NoError(t, err)
	files := []string{"file", "efo", "model"}
	for _, command := range parser.Model.Leaves(false) {
		values := slices.Clone(command.Positional)
		for _, f := range command.Flags {
			values = append(values, f.Value)
		}
		for _, v := range values {
			if slices.Contains(files, v.Tag.Get("predictor")) != (v.Tag.Has("in") || v.Tag.Has("out")) {
				t.Errorf("efoc %s: %s lacks a tag: predictor, or in or out", command.Name, v.Name)
			}
		}
	}
}

// contents returns what files hold.
func contents(t *testing.T, paths ...string) []byte {
	t.Helper()
	var all []byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(append(all, path...), text...)
	}
	return all
}
