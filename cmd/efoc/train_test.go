package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/table"
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
	out := filepath.Join(t.TempDir(), "clock.efoc")
	r := efoc(t, "train", dir, "-o", out, "--rank", "16", "--epochs", "12", "--trainer", "patience=0", "--trainer", "batch=20", "--trainer", "n3=0.01", "--with", "lambda=0.4")
	r.want(t, statusOK, "wrote "+out+": clock, rank 16, epoch ", `about which nothing is learnt: "never"`)
	r.want(t, statusOK, "test MRR ", "epoch 12: loss ")
	m, err := runtime.Open(out)
	require.NoError(t, err)
	defer m.Close()
	if m.NumEntities() != 48 || m.Bundle().Predictor.Rank != 16 || !m.Bundle().Manifest.Reciprocal || m.Bundle().Manifest.Settings.Lambda != 0.4 || len(m.Bundle().Manifest.Sources) != 5 {
		t.Errorf("manifest is %+v", m.Bundle().Manifest)
	}
	if entities := &m.Bundle().Predictor.EntityTable; entities.Codes() == nil || entities.Type() != table.Float32 {
		t.Errorf("the table has codes: %t, rows of %s; want codes beside float32", entities.Codes() != nil, entities.Type())
	}
	test, err := os.ReadFile(filepath.Join(dir, "test.tsv"))
	require.NoError(t, err)
	fact := strings.Fields(string(test))
	efoc(t, "ask", "--model", out, "-k", "1", "--format", "tsv", fmt.Sprintf("%s(%q, y)", fact[1], fact[0])).want(t, statusOK, fact[2], "")

	// A model is a checkpoint, too, which makes the same model.
	again := filepath.Join(t.TempDir(), "again.efoc")
	efoc(t, "import", dir, "-c", out, "-o", again).want(t, statusOK, "rank 16", "")
	imported, err := runtime.Open(again)
	require.NoError(t, err)
	defer imported.Close()
	for _, name := range []string{"entity.embedding", "relation.embedding"} {
		if got, want := imported.Bundle().Manifest.Checksums[name], m.Bundle().Manifest.Checksums[name]; got != want || want == "" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	var report training.Report
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
	stderr := &cancelAt{text: "epoch 1:", cancel: cancel}
	status := runContext(ctx, args("parts", "--epochs", "4"), nil, &bytes.Buffer{}, stderr)
	result{status, "", stderr.String()}.want(t, statusInterrupted, "", "go on with --resume")

	efoc(t, args("parts")...).want(t, statusUsage, "", "--resume")
	efoc(t, args("parts", "--resume", "--trainer", "seed=2")...).want(t, statusUsage, "", "seed 2 instead of 1")
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
	efoc(t, args("parts", "--resume")...).want(t, statusFailure, "", "leave out --resume")
	efoc(t, args("parts", "--epochs", "1")...).want(t, statusOK, "epoch 1 of 1", "")
	efoc(t, args("parts", "--restart", "--epochs", "1")...).want(t, statusOK, "epoch 1 of 1", "")
}

// TestTrainCheckpoint expects the checkpoint to outlast a training whose outputs could not all be
// written, and to go once they are.
func TestTrainCheckpoint(t *testing.T) {
	dir, folder := clockFolder(t), t.TempDir()
	args := []string{"train", dir, "-o", filepath.Join(folder, "m.efoc"), "--rank", "8", "--epochs", "1", "--no-calibration"}
	report := filepath.Join(folder, "m.train.json")
	require.NoError(t, os.Mkdir(report, 0o755))
	efoc(t, args...).want(t, statusFailure, "", "m.train.json")
	if _, err := os.Stat(filepath.Join(folder, "m.ckpt")); err != nil {
		t.Errorf("a failed training leaves no checkpoint: %v", err)
	}

	require.NoError(t, os.Remove(report))
	efoc(t, append(args, "--resume")...).want(t, statusOK, "wrote", "")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if !slices.Equal(left, []string{"m.efoc", "m.train.json"}) {
		t.Errorf("a finished training leaves %q", left)
	}
	efoc(t, args...).want(t, statusOK, "wrote", "")
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
