package anycq

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// likes makes a model of five people. The embeddings are all 0, so that the graph alone
// decides: ann likes bob and cat, and all others with degree 2/5.
func likes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("entities.tsv"), "0\tann\n1\tbob\n2\tcat\n3\tdan\n4\teve\n")
	put(t, at("relations.tsv"), "0\tlikes\n1\thates\n")
	put(t, at("train.tsv"), "ann\tlikes\tbob\nann\tlikes\tcat\ndan\thates\tann\n")
	var b bytes.Buffer
	err := safetensors.Write(&b, nil, []safetensors.Tensor{
		safetensors.From("embeddings.0.weight", make([]float32, 20), 5, 4),
		safetensors.From("embeddings.1.weight", make([]float32, 16), 4, 4),
	})
	require.NoError(t, err)
	put(t, at("model.safetensors"), b.String())
	_, err = importer.Import(t.Context(), importer.Options{
		Graph: dir, Checkpoints: []string{at("model.safetensors")}, Output: at("likes.efoc"), SkipCheck: true,
		Table: table.Int8, Exact: table.Float32, Settings: model.DefaultSettings(),
	})
	require.NoError(t, err)
	return at("likes.efoc")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// TestAnyCQ classifies and retrieves by degrees that were worked out by hand. Accepted from
// 0.5 on, bob alone is right of two; from 2/5 on, both are.
func TestAnyCQ(t *testing.T) {
	bundle, dir := likes(t), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const question = `{"(r1(s1,f1))": [[{"s1": 0, "r1": 0}, {"f1": [[1], [4]]}, {"f1": %s}]]}`
	put(t, at("QAC/qac_test_3hub.json"), fmt.Sprintf(question, "[[3]]"))
	put(t, at("QAC/qac_valid_3hub.json"), fmt.Sprintf(question, "[]"))
	put(t, at("QAR/qar_test_3hub_efo1.json"), `{"(r1(s1,f1))": [[{"s1": 0, "r1": 0}, {"f1": [[1]]}, "e"]], "(r1(s1,f1": [[{}, {}, "h"]]}`)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{at("QAC")}, cli.StatusOK, "1p 1 0 66.7 75.0 "},
		{[]string{at("QAC"), "--accept", "0.39"}, cli.StatusOK, "1p 1 0 80.0 75.0 "},
		{[]string{at("QAC/qac_valid_3hub.json"), "--accept", "0.3"}, cli.StatusOK, "1p 1 0 100.0 "},
		{[]string{at("QAR")}, cli.StatusOK, "3hub_efo1 2 1 66.7 1 100.0 100.0 1 0.0 0.0 0 "},
		{[]string{at("QAC"), "--split", "valid", "--limit", "1"}, cli.StatusOK, "asked 1 questions"},
		{[]string{at("QAC"), "--accept", "2"}, cli.StatusUsage, "--accept is 2"},
		{[]string{at("QAC"), "--timeout", "0s"}, cli.StatusUsage, "--timeout is 0s"},
		{[]string{at("QAC"), "--split", "train"}, cli.StatusFailure, "no questions of AnyCQ's train split"},
		{[]string{dir}, cli.StatusFailure, "no questions of AnyCQ's test split"},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"--model", bundle, "--semantics", "fit"}, c.args...)
		status := cli.Run(context.Background(), "anycq", "", &Command{}, args, &out, &errs)
		text := regexp.MustCompile(" +").ReplaceAllString(out.String()+errs.String(), " ")
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%q: status %d, want %d with %q:\n%s", c.args, status, c.status, c.want, text)
		}
	}
}
