package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestConvert takes queries through the files of FIT and compares the JSON Lines at the end
// with those at the start.
func TestConvert(t *testing.T) {
	const queries = `{"type": "1p", "split": "test", "s1": 4, "r1": 2, "easy": [1, 2], "hard": [3]}
{"type": "pi", "split": "test", "s1": 4, "s2": 0, "r1": 2, "r2": 1, "r3": 3, "easy": [], "hard": [2]}
{"type": "up", "split": "test", "s1": 4, "s2": 0, "r1": 2, "r2": 1, "r3": 3, "easy": [], "hard": [1]}
`
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("q.jsonl"), queries)
	efoc(t, "convert", at("q.jsonl"), at("fit")).want(t, statusOK, "fit: test 3 queries of 3 groups\n", "")
	efoc(t, "convert", at("fit"), at("back.jsonl.gz")).want(t, statusOK, "3 queries of 3 groups", "")
	efoc(t, "convert", at("back.jsonl.gz"), at("back.jsonl")).want(t, statusOK, "", "")
	got, err := os.ReadFile(at("back.jsonl"))
	if err != nil || string(got) != queries {
		t.Errorf("got %s, %v", got, err)
	}
	efoc(t, "convert", at("q.jsonl"), at("few.jsonl"), "--shape", "up,pi", "--limit", "1").want(t, statusOK, "few.jsonl: 2 queries of 2 groups", "")

	// A folder with queries of two splits.
	efoc(t, "convert", at("q.jsonl"), at("both"), "--split", "valid").want(t, statusOK, "valid 3 queries", "")
	require.NoError(t, os.CopyFS(at("both"), os.DirFS(at("fit"))))
	both := efoc(t, "convert", at("both"), at("all"))
	both.want(t, statusOK, "all: valid 3 queries of 3 groups\n", "")
	both.want(t, statusOK, "all: test 3 queries of 3 groups\n", "")
	for _, name := range []string{"valid_type0000_real_EFO1_qaa.json", "test_type0013_real_EFO1_qaa.json"} {
		if _, err := os.Stat(filepath.Join(at("all"), name)); err != nil {
			t.Error(err)
		}
	}
}

func TestConvertErrors(t *testing.T) {
	dir := t.TempDir()
	cyclic := write(t, filepath.Join(dir, "c.jsonl"), `{"type":"2il","s1":0,"r1":0,"r2":1}`)
	template := write(t, filepath.Join(dir, "t.jsonl"), `{"formula":"query Near(c entity) y = r($c, y)","c":0,"hard":[1]}`)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{template, filepath.Join(dir, "out")}, statusFailure, "group Near is a template: FIT's files only have benchmark formulas"},
		{[]string{cyclic, dir}, statusFailure, "is not empty"},
		{[]string{cyclic, filepath.Join(dir, "out.jsonl"), "--limit=-1"}, statusUsage, "--limit is -1"},
		{[]string{filepath.Join(dir, "none"), filepath.Join(dir, "out.jsonl")}, statusFailure, "none"},
		{[]string{dir, filepath.Join(dir, "out.jsonl")}, statusFailure, "no test queries: looked for"},
	} {
		efoc(t, append([]string{"convert"}, c.args...)...).want(t, c.status, "", c.want)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files are left: %v", left)
	}
}
