package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFactsAlike checks that all commands that read a graph take the same lines for
// facts: here one that is listed twice, below the names of the columns.
func TestFactsAlike(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	facts := "New York\tin\tUSA\nBoston\tin\tUSA\nNew York\tin\tUSA\nParis\tin\tFrance\n"
	tabs := write(t, at("tabs/train.tsv"), "head\trelation\ttail\n"+facts)
	write(t, at("commas/train.tsv"), "head,relation,tail\n"+strings.ReplaceAll(facts, "\t", ","))
	model, embeddings := at("m.efoc"), at("e.safetensors")
	efoc(t, "train", tabs, "-o", model, "--epochs", "2", "--rank", "4", "--embeddings", embeddings).
		want(t, statusOK, "wrote", "tabs/train.tsv: 1 repeated facts were left out")
	r := efoc(t, "train", at("commas"), "--triples", "separator=,", "-o", at("c.efoc"), "--epochs", "2", "--rank", "4")
	r.want(t, statusOK, "wrote", "5 entities, 1 relations, 3 facts")
	r.want(t, statusOK, "wrote", "train.tsv: the first line, head relation tail, was read as the names of the columns")
	efoc(t, "info", model).want(t, statusOK, "facts      3", "")
	// Tables number the names for import.
	write(t, at("tabs/entities.tsv"), "0\tNew York\n1\tUSA\n2\tBoston\n3\tParis\n4\tFrance\n")
	write(t, at("tabs/relations.tsv"), "0\tin\n")
	efoc(t, "import", at("tabs"), "-c", embeddings, "-o", at("i.efoc"), "--skip-check").
		want(t, statusOK, "5 entities, 1 relations, 3 facts and 0 held back", "")
	efoc(t, "sample", "-g", at("tabs"), "--split", "train", "--shape", "1p", "-n", "5", "-o", at("q.jsonl")).
		want(t, statusOK, "wrote 5 queries", "") // three of heads, two of tails
	// What is no fact is none for any of them.
	text := write(t, at("text/train.tsv"), "Boston\tin\tUSA\nNew York City\n")
	for _, args := range [][]string{
		{"train", at("text"), "-o", at("x.efoc")},
		{"train", text, "-o", at("x.efoc")},
		{"import", text, "-c", embeddings, "-o", at("x.efoc")},
		{"sample", "-g", at("text"), "-o", at("x.jsonl")},
		{"eval", at("q.jsonl"), "-m", model, "--graph", at("text")},
	} {
		want := `train.tsv:2: 1 field in "New York City", want head, relation and tail, separated by tabs`
		if args[0] == "import" {
			want = `train.tsv:1: entity "Boston" is not a number: give tables`
		}
		efoc(t, args...).want(t, statusFailure, "", want)
	}
	efoc(t, "train", text, "-o", at("x.efoc"), "--triples", "separator=ab").want(t, statusUsage, "", `separator "ab", want tab, space or one character`)
}
