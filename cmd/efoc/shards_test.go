package main

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/testdata/require"
)

const shardedRows = "query,country\nLanguages,France\nCapitals,Brazil\nLanguages,Kenya\n"

// splitWorld splits the built-in model's file.
func splitWorld(t *testing.T, shards string) (model, folder string) {
	t.Helper()
	model, folder = filepath.Join("world", "world.efoc"), filepath.Join(t.TempDir(), "world")
	efoc(t, "split", model, "-n", shards, "-o", folder).want(t, statusOK, "the head and "+shards+" shard", "")
	return model, folder
}

// sameRows compares the lines of a split model with those of a whole one.
func sameRows(t *testing.T, got, want string) {
	t.Helper()
	x, y := answeredLines(t, got), answeredLines(t, want)
	if len(x) != len(y) {
		t.Fatalf("%d lines, want %d", len(x), len(y))
	}
	for i := range y {
		if len(x[i].Answers) != len(y[i].Answers) || x[i].Error != y[i].Error {
			t.Fatalf("row %d has %+v, want %+v", i+1, x[i], y[i])
		}
		for j, b := range y[i].Answers {
			a := x[i].Answers[j]
			if a.ID != b.ID || a.Status != b.Status || math.Abs(float64(a.Score-b.Score)) > 1e-4*float64(b.Score) || math.Abs(a.Confidence-b.Confidence) > 1e-3 {
				t.Errorf("row %d, answer %d is %+v, want %+v", i+1, j+1, a, b)
			}
		}
	}
}

// TestShards asks and evaluates a split model, whose shards are in this process, as the whole
// one.
func TestShards(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	templates := write(t, filepath.Join(t.TempDir(), "bulk.efo"), strings.Replace(bulk, " show x", "", 1))
	for _, shards := range []string{"1", "3"} {
		model, folder := splitWorld(t, shards)
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			for _, more := range [][]string{nil, {"--status", "predicted,confirmed"}} {
				args := append([]string{"answer", templates, "-k", "5", "--semantics", semantics}, more...)
				want := efocInput(t, shardedRows, append(args, "--model", model)...)
				got := efocInput(t, shardedRows, append(args, "--model", folder)...)
				if want.status != statusOK || got.status != statusOK {
					t.Fatalf("status %d and %d: %s%s", want.status, got.status, want.stderr, got.stderr)
				}
				sameRows(t, got.stdout, want.stdout)
			}
		}
	}
	dir := likesFolder(t)
	folder := filepath.Join(t.TempDir(), "likes")
	efoc(t, "split", filepath.Join(dir, "likes.efoc"), "-n", "2", "-o", folder).want(t, statusOK, "2 shards of 3 entities at most", "")
	var reports []*eval.Report
	for _, of := range [][]string{{"--model", filepath.Join(dir, "likes.efoc")}, {"--model", folder}} {
		out := filepath.Join(t.TempDir(), "report.json")
		efoc(t, append([]string{"eval", filepath.Join(dir, "q.jsonl"), "--graph", dir, "--json", out}, of...)...).want(t, statusOK, "", "")
		reports = append(reports, readReport(t, out))
	}
	if got, want := measured(reports[1]), measured(reports[0]); got != want {
		t.Errorf("of shards the report is\n%s\nwant\n%s", got, want)
	}
}

// TestShardsServed opens a split model as a server does: that it is mapped calls for no warning.
func TestShardsServed(t *testing.T) {
	_, folder := splitWorld(t, "2")
	var log strings.Builder
	c := serveCmd{splitModelFlags: splitModelFlags{modelFlag: modelFlag{Model: folder}}}
	m, err := c.openToServe(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	defer m.Close()
	if !m.Bundle().Mapped() || log.Len() > 0 {
		t.Errorf("mapped: %v; the log has %q, want nothing", m.Bundle().Mapped(), log.String())
	}
}

// measured is what a report says of each shape, but for the time.
func measured(r *eval.Report) (text string) {
	for _, s := range r.Shapes {
		text += fmt.Sprintln(s.Name, s.Queries, s.Answers, s.Metrics, s.Links)
	}
	return text
}
