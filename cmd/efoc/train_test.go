package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/require"
)

// clockFolder writes a graph of hours: relation k of three leads k+1 hours on.
// A few facts are kept for validation and test, and one relation is in these
// only.
func clockFolder(t *testing.T) string {
	t.Helper()
	const hours = 48
	dir := filepath.Join(t.TempDir(), "clock")
	var entities, train, valid, test strings.Builder
	for h := range hours {
		fmt.Fprintf(&entities, "%d\th%d\n", h, h)
		for k := range 3 {
			to := &train
			switch (7*h + k) % 12 {
			case 0:
				to = &valid
			case 1:
				to = &test
			}
			fmt.Fprintf(to, "h%d\tplus%d\th%d\n", h, k+1, (h+k+1)%hours)
		}
	}
	write(t, filepath.Join(dir, "entities.tsv"), entities.String())
	write(t, filepath.Join(dir, "relations.tsv"), "0\tplus1\n1\tplus2\n2\tplus3\n3\tnever\n")
	write(t, filepath.Join(dir, "train.tsv"), train.String())
	write(t, filepath.Join(dir, "valid.tsv"), valid.String()+"h1\tnever\th2\n")
	write(t, filepath.Join(dir, "test.tsv"), test.String())
	return dir
}

// TestTrain trains a small model, and asks it for a fact that it has not seen.
func TestTrain(t *testing.T) {
	dir := clockFolder(t)
	out, embeddings := filepath.Join(t.TempDir(), "clock.efoc"), filepath.Join(t.TempDir(), "clock.safetensors")
	r := efoc(t, "train", dir, "-o", out, "--rank", "16", "--epochs", "12", "--trainer", "patience=0", "--trainer", "batch=20", "--trainer", "n3=0.01", "--with", "lambda=0.4", "--embeddings", embeddings)
	r.want(t, statusOK, "wrote "+out+": clock, rank 16, epoch ", `about which nothing is learnt: "never"`)
	r.want(t, statusOK, "test MRR ", "epoch 12: loss ")
	m, err := query.Open(out)
	require.NoError(t, err)
	defer m.Close()
	if m.NumEntities() != 48 || m.Predictor.Rank != 16 || !m.Manifest.Reciprocal || m.Manifest.Settings.Lambda != 0.4 || len(m.Manifest.Sources) != 5 {
		t.Errorf("manifest is %+v", m.Manifest)
	}
	if table := &m.Predictor.EntityTable; table.Codes() == nil || table.Type() != model.Float32 {
		t.Errorf("the table has codes: %t, rows of %s; want codes beside float32", table.Codes() != nil, table.Type())
	}
	test, err := os.ReadFile(filepath.Join(dir, "test.tsv"))
	require.NoError(t, err)
	fact := strings.Fields(string(test))
	efoc(t, "ask", "--model", out, "-k", "1", "--format", "tsv", fmt.Sprintf("%s(%q, y)", fact[1], fact[0])).want(t, statusOK, fact[2], "")

	// The embeddings alone make the same model.
	again := filepath.Join(t.TempDir(), "again.efoc")
	efoc(t, "import", dir, "-c", embeddings, "-o", again).want(t, statusOK, "rank 16", "")
	imported, err := query.Open(again)
	require.NoError(t, err)
	defer imported.Close()
	for _, name := range []string{"entity.embedding", "relation.embedding"} {
		if got, want := imported.Manifest.Checksums[name], m.Manifest.Checksums[name]; got != want || want == "" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	var report trainReport
	text, err := os.ReadFile(strings.TrimSuffix(out, ".efoc") + ".train.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &report))
	if report.Test.MRR < 0.9 || report.Test.Ranks != 2*strings.Count(string(test), "\n") || len(report.Curve) != 12 {
		t.Errorf("report is %s", text)
	}
}

// TestTrainResume interrupts a training and goes on: the model has the bytes of
// one that was left alone.
func TestTrainResume(t *testing.T) {
	dir := clockFolder(t)
	folder := t.TempDir()
	args := func(name string, more ...string) []string {
		return append([]string{"train", dir, "-o", filepath.Join(folder, name+".efoc"), "--rank", "8", "--trainer", "batch=20"}, more...)
	}
	efoc(t, args("whole", "--epochs", "4")...).want(t, statusOK, "wrote", "")

	// The first lines on stderr come from the plan and from epoch 1.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &cancelAt{text: "epoch 2:", cancel: cancel}
	status := runContext(ctx, args("parts", "--epochs", "4"), nil, &bytes.Buffer{}, stderr)
	result{status, "", stderr.String()}.want(t, statusInterrupted, "", "go on with --resume")

	efoc(t, args("parts")...).want(t, statusUsage, "", "--resume")
	efoc(t, args("parts", "--resume", "--seed", "2")...).want(t, statusUsage, "", "seed 2 instead of 1")
	efoc(t, args("parts", "--resume", "--rank", "9")...).want(t, statusUsage, "", "rank 9 instead of 8")
	efoc(t, args("parts", "--resume", "--epochs", "4")...).want(t, statusOK, "wrote", "")
	whole, err := os.ReadFile(filepath.Join(folder, "whole.efoc"))
	require.NoError(t, err)
	parts, err := os.ReadFile(filepath.Join(folder, "parts.efoc"))
	require.NoError(t, err)
	if !bytes.Equal(whole, parts) {
		t.Error("the interrupted training made another model")
	}
	efoc(t, args("none", "--resume")...).want(t, statusFailure, "", "none.ckpt")
	efoc(t, args("parts", "--restart", "--epochs", "1")...).want(t, statusOK, "epoch 1 of 1", "")
}

// cancelAt keeps what is written to it, and cancels once a text has come.
type cancelAt struct {
	bytes.Buffer
	text   string
	cancel func()
}

func (c *cancelAt) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if strings.Contains(c.String(), c.text) {
		c.cancel()
	}
	return n, err
}

// TestTrainBudget expects a training that fits into its time.
func TestTrainBudget(t *testing.T) {
	out := filepath.Join(t.TempDir(), "clock.efoc")
	efoc(t, "train", clockFolder(t), "-o", out, "--budget", "1s", "--rank", "4").want(t, statusOK, "rank 4", " of memory and ")
	efoc(t, "train", clockFolder(t), "-o", filepath.Join(t.TempDir(), "none.efoc"), "--budget", "1ns", "--no-calibration", "--trainer", "batch=20").
		want(t, statusOK, "rank 64, 1 step of the first epoch, validation MRR ", "that is more than --budget 1ns")
}

func TestTrainErrors(t *testing.T) {
	dir := clockFolder(t)
	out := filepath.Join(t.TempDir(), "out.efoc")
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, filepath.Join(empty, "train.tsv"), "")
	write(t, filepath.Join(empty, "entities.tsv"), "0\ta\n")
	write(t, filepath.Join(empty, "relations.tsv"), "0\tr\n")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{dir, "-o", out, "--rank", "0"}, statusUsage, "rank is 0, want 1 to"},
		{[]string{dir, "-o", out, "--epochs", "0"}, statusUsage, "epochs is 0"},
		{[]string{dir, "-o", out, "--threads", "-1"}, statusUsage, "--threads"},
		{[]string{dir, "-o", out, "--trainer", "valid-facts=0"}, statusUsage, "valid-facts is 0, want 1 or more"},
		{[]string{dir, "-o", out, "--resume", "--restart"}, statusUsage, "not both"},
		{[]string{dir, "-o", out, "--with", "lambda=2"}, statusUsage, "lambda is 2, want 0 to 1"},
		{[]string{dir, "-o", filepath.Join(out, "x", "y.efoc")}, statusFailure, "does not exist: make it"},
		{[]string{"missing", "-o", out}, statusFailure, "missing"},
		{[]string{dir, "-o", out, "--valid", "missing.tsv"}, statusFailure, "missing.tsv"},
		{[]string{empty, "-o", out}, statusFailure, "no triples"},
		{[]string{dir, "-o", out, "--trainer", "rate=1e30"}, statusFailure, "lower the learning rate"},
	} {
		efoc(t, append([]string{"train"}, c.args...)...).want(t, c.status, "", c.want)
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("train %q left a model behind", c.args)
		}
	}
}
