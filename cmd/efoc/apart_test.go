package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestApart checks that no command replaces what it reads, under any name of it.
func TestApart(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	queries := filepath.Join(dir, "q.jsonl")
	efoc(t, "sample", "--shape", "2p", "-n", "3", "-o", queries).want(t, statusOK, "wrote 3 queries", "")
	if err := os.Chmod(queries, 0o444); err != nil {
		t.Fatal(err)
	}
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
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"convert", queries, queries}, "OUT " + queries + " would replace IN " + queries + ", which is read"},
		{[]string{"convert", queries, filepath.Join(dir, ".", "x", "..", "q.jsonl")}, "would replace IN"},
		{[]string{"convert", queries, hard}, "would replace IN"},
		{[]string{"convert", queries, soft}, "would replace IN"},
		{[]string{"convert", soft, hard}, "would replace IN"},
		{[]string{"eval", queries, "--json", queries}, "--json " + queries + " would replace QUERIES " + queries},
		{[]string{"eval", queries, "--resume", hard}, "would replace QUERIES"},
		{[]string{"eval", queries, "--model", model, "--csv", model}, "would replace --model"},
		{[]string{"eval", queries, "--csv", filepath.Join(dir, "r"), "--json", filepath.Join(dir, "r")}, "is the file of"},
		{[]string{"bench", "--queries", queries, "--json", soft}, "would replace --queries"},
		{[]string{"tune", model, queries, "-o", queries}, "would replace QUERIES"},
		{[]string{"tune", model, queries, "-o", model, "--resume", model}, "would replace MODEL"},
		{[]string{"tune", model, queries, "-o", model, "--resume", queries}, "would replace QUERIES"},
		{[]string{"sample", "--file", efo, "-o", efo}, "would replace --file"},
		{[]string{"sample", "--graph", graph, "-o", facts}, "would replace --graph " + facts},
		{[]string{"sample", "--model", model, "-o", model}, "would replace --model"},
		{[]string{"train", graph, "-o", facts}, "would replace GRAPH " + facts},
		{[]string{"train", facts, "-o", filepath.Join(dir, "new.efoc"), "--embeddings", facts}, "would replace GRAPH"},
		{[]string{"train", graph, "-o", filepath.Join(dir, "new.ckpt")}, "is the file of"},
		{[]string{"import", graph, "-c", queries, "-o", hard}, "would replace --checkpoint"},
		{[]string{"import", graph, "-c", queries, "-o", facts}, "would replace GRAPH"},
	} {
		before := contents(t, queries, model, facts, efo)
		efoc(t, c.args...).want(t, statusUsage, "", c.want)
		if after := contents(t, queries, model, facts, efo); !bytes.Equal(after, before) {
			t.Fatalf("efoc %v changed what it reads", c.args)
		}
	}
	// A model or report that lies beside the data may be replaced by a new one.
	inside := filepath.Join(graph, "town.efoc")
	for range 2 {
		efoc(t, "train", graph, "-o", inside, "--restart", "--epochs", "1", "--rank", "4").want(t, statusOK, "wrote", "")
	}
}

// contents returns what files hold.
func contents(t *testing.T, paths ...string) []byte {
	t.Helper()
	var all []byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, path...), text...)
	}
	return all
}
