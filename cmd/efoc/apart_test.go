package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/testdata/require"
)

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

// TestApartTags checks that every flag that names a file says whether the command reads or writes it.
func TestApartTags(t *testing.T) {
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	file := regexp.MustCompile(`^(FILE|FOLDER|GRAPH|PATH|OUT)`)
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if file.MatchString(f.PlaceHolder) != (f.Tag.Has("in") || f.Tag.Has("out")) {
				t.Errorf("efoc %s: --%s %s names a file and has no tag in or out, or the other way round", command.Name, f.Name, f.PlaceHolder)
			}
		}
	}
}

// TestApartStdout gives the path - to every flag that names an output file: the command writes text to standard output,
// says that it does not write models there, and writes no file of that name.
func TestApartStdout(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), `{"type":"1p","r1":0,"s1":0,"easy_answers":[],"hard_answers":[1]}`)
	rows := write(t, filepath.Join(dir, "rows.jsonl"), `{"query": "Languages", "country": "France"}`)
	efo := write(t, filepath.Join(dir, "q.efo"), bulk)
	t.Chdir(t.TempDir())
	calls := map[string][]string{
		"answer --output":    {efo, "--rows", rows, "-o"},
		"bench --json":       {`borders("France", y)`, "--engine", "layers", "--semantics", "nsmp", "--runs", "1", "--batch", "1", "--json"},
		"calibrate --output": {rows, "-o"},
		"eval --json":        {queries, "--semantics", "nsmp", "--json"},
		"eval --state":       {queries, "--state"},
		"generate --output":  {efo, "-o"},
		"import --output":    {"-c", rows, rows, "-o"},
		"sample --output":    {"-o"},
		"split --output":     {rows, "-n", "2", "-o"},
		"train --output":     {rows, "-o"},
	}
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if !f.Tag.Has("out") {
				continue
			}
			args, known := calls[command.Name+" --"+f.Name]
			r := efoc(t, append(append([]string{command.Name}, args...), "-")...)
			writes := r.status == statusOK && json.Valid([]byte(r.stdout))
			if f.Tag.Has("stdout") != writes || !writes && !strings.Contains(r.stderr, "cannot write this to standard output") || !known {
				t.Errorf("efoc %s --%s -: status %d, %q, errors %q", command.Name, f.Name, r.status, r.stdout, r.stderr)
			}
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("there are files %q", left)
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
