package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// TestSampleAlone draws shapes together, and each by itself with another number of threads.
func TestSampleAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q.jsonl")
	draw := func(shape, threads string) string {
		t.Helper()
		efoc(t, "sample", "--shape", shape, "-n", "30", "--seed", "5", "--threads", threads, "-o", path).want(t, statusOK, "wrote ", "")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	if together, alone := draw("2p,3in,3c,pni", "1"), draw("2p", "3")+draw("3in", "2")+draw("3c", "3")+draw("pni", "3"); together != alone {
		t.Errorf("together shapes have\n%s\nand alone\n%s", together, alone)
	}
}

// TestSampleInterrupted expects the output to appear when all queries are there, and not before.
func TestSampleInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	var stdout, stderr bytes.Buffer
	args := []string{"sample", "--shape", "2p", "-n", "1000000", "--max-answers", "2000", "-o", filepath.Join(dir, "q.jsonl")}
	status := runContext(ctx, args, strings.NewReader(""), &stdout, &stderr)
	result{status, stdout.String(), stderr.String()}.want(t, statusInterrupted, "", "interrupted")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("an interrupted run left %v, %v", left, err)
	}
}

func TestSampleTemplates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q.jsonl")
	efoc(t, "sample", "-f", filepath.Join("..", "..", "testdata", "downstream", "atlas.efo"), "-q", "NewLanguages", "-n", "5", "-o", path).
		want(t, statusOK, "NewLanguages        5", "")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var q struct {
		Type, Formula string
		Country       *int32
		Easy, Hard    []int32
	}
	require.NoError(t, json.Unmarshal(bytes.SplitN(text, []byte("\n"), 2)[0], &q))
	if q.Type != "NewLanguages" || !strings.HasPrefix(q.Formula, "query NewLanguages(country entity) y = exists x.") || q.Country == nil || len(q.Hard) == 0 {
		t.Errorf("line is %+v", q)
	}
}

// TestSampleUniversal checks that eval knows which reading of pni was sampled.
func TestSampleUniversal(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	path := filepath.Join(t.TempDir(), "pni.jsonl")
	efoc(t, "sample", "--shape", "pni", "--pni", "universal", "-n", "5", "-o", path).want(t, statusOK, "wrote 5 queries", "")
	efoc(t, "eval", path, "--limit", "2").want(t, statusOK, "pni-universal", "")
}

func TestSampleFolder(t *testing.T) {
	dir := townFolder(t)
	path := filepath.Join(t.TempDir(), "q.jsonl")
	// dale leads to elm in heldout.tsv alone: by road forwards or backwards.
	efoc(t, "sample", "-g", dir, "--shape", "1p", "-n", "2", "-o", path).want(t, statusOK, "wrote 2 queries", "")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range []string{
		`{"type": "1p", "split": "test", "s1": 3, "r1": 0, "easy": [], "hard": [4]}`,
		`{"type": "1p", "split": "test", "s1": 4, "r1": 1, "easy": [], "hard": [3]}`,
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	// A shape of which the graph has too few is no failure: all there are were written.
	efoc(t, "sample", "-g", dir, "--shape", "1p", "-n", "3", "-o", path).
		want(t, statusOK, "wrote 2 queries", "efoc: warning: fewer than 3 queries were found of 1p (2)")
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, text) {
		t.Errorf("3 of 2 queries: %v\n%s\nwant\n%s", err, again, text)
	}
	efoc(t, "sample", "-g", dir, "--shape", "1p", "--hard", "9..", "-o", path).want(t, statusFailure, "wrote 0 queries", "queries were found of 1p (0)")
	efoc(t, "sample", "-g", dir, "--split", "valid", "-o", path).want(t, statusFailure, "", "has no facts of the valid split")
}

func TestSampleErrors(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "q.jsonl")
	efo := write(t, filepath.Join(dir, "q.efo"), "query Fixed y = borders(\"France\", y)\nquery Lost(c entity) y = bordrs($c, y)\nquery Type(type entity) y = borders($type, y)\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--count", "0"}, "--count is 0, want 1 or more"},
		{[]string{"--hard", "200.."}, "--max-answers is 100, want 200 or more"},
		{[]string{"--hard=-1"}, `--hard is "-1"`},
		{[]string{"--max-edges", "0"}, "--max-edges is 0"},
		{[]string{"--threads=-1"}, "--threads is -1"},
		{[]string{"--shape", "2q"}, `unknown shape "2q"`},
		{[]string{"--shape", "2p,2p"}, "--shape gives 2p twice"},
		{[]string{"--shape", "2p", "--file", efo}, "give --shape or --file"},
		{[]string{"--query", "Q"}, "give the file with --file"},
		{[]string{"--split", "valid"}, "give it with --graph"},
		{[]string{"--pni", "both"}, "must be one of"},
		{[]string{"--file", efo, "--query", "Losst"}, "has no query Losst; there is Lost"},
		{[]string{"--file", efo, "--query", "Fixed"}, "query Fixed has no parameters"},
		{[]string{"--file", efo, "--query", "Lost"}, `unknown relation "bordrs"`},
		{[]string{"--file", efo, "--query", "Type"}, "a parameter cannot be called type"},
	} {
		efoc(t, append([]string{"sample", "-o", out}, c.args...)...).want(t, statusUsage, "", c.want)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a wrong command line wrote a file")
	}
	efoc(t, "sample", "-g", filepath.Join(dir, "none"), "-o", out).want(t, statusFailure, "", "none")
	efoc(t, "sample", "-g", efo, "-o", out).want(t, statusFailure, "", "want head, relation and tail")
}

// TestSampleLike draws as BetaE does: lines say their split, 1p are the facts of the split
// alone, and pni is read universally.
func TestSampleLike(t *testing.T) {
	dir := townFolder(t)
	path := filepath.Join(t.TempDir(), "q.jsonl")
	efoc(t, "sample", "-g", dir, "--like", "betae", "--shape", "1p", "-o", path).
		want(t, statusOK, "wrote 2 queries", "fewer than 100 queries were found of 1p (2)")
	text, err := os.ReadFile(path)
	want := `{"type": "1p", "split": "test", "s1": 4, "r1": 1, "easy": [], "hard": [3]}`
	if err != nil || !strings.Contains(string(text), want) || bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("%v\n%s", err, text)
	}
	efoc(t, "sample", "--like", "betae", "--shape", "pni,2p", "-n", "3", "-o", path).want(t, statusOK, "wrote 6 queries", "")
	if text, err = os.ReadFile(path); err != nil || !strings.Contains(string(text), `{"type": "pni-universal", `) {
		t.Errorf("%v\n%s", err, text)
	}
	efoc(t, "sample", "--like", "fit", "--shape", "2p,2m", "--min-missing", "all", "-n", "3", "-o", path).want(t, statusOK, "wrote 6 queries", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--like", "betae", "--shape", "2il"}, "betae has no queries of shape 2il"},
		{[]string{"--like", "gqe"}, "--like must be one of"},
		{[]string{"--like", "fit", "-f", filepath.Join("..", "..", "testdata", "downstream", "atlas.efo")}, "fit has only benchmark shapes"},
		{[]string{"--shape", "2p", "--min-missing", "3"}, "no answer can need 3 links"},
		{[]string{"--shape", "2p", "--min-missing", "most"}, `--min-missing is "most"`},
		{[]string{"--shape", "2p", "--min-missing", "1", "--split", "train"}, "has no facts before it"},
		{[]string{"--shape", "2p", "--hard", "3..2"}, `--hard is "3..2", want MIN..MAX`},
	} {
		efoc(t, append([]string{"sample", "-o", path}, c.args...)...).want(t, statusUsage, "", c.want)
	}
}
