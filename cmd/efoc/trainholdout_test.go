package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// clockFacts returns facts of three relations, enough to hold some out for validation.
func clockFacts() string {
	const hours = 700
	var clock strings.Builder
	for h := range hours {
		for k := 1; k <= 3; k++ {
			fmt.Fprintf(&clock, "h%d\tplus%d\th%d\n", h, k, (h+k)%hours)
		}
	}
	return clock.String()
}

// TestTrainValid trains on one file: facts are held out to calibrate by, and are in the
// graph of the model all the same.
func TestTrainValid(t *testing.T) {
	dir := t.TempDir()
	clock := clockFacts()
	file := write(t, filepath.Join(dir, "clock.tsv"), clock)
	few := write(t, filepath.Join(dir, "few.tsv"), strings.Join(strings.SplitAfter(clock, "\n")[:3*training.LeastFacts/4], ""))
	type run struct {
		file       string
		args       []string
		said       string
		calibrated bool
	}
	trainings := []run{
		{file, []string{"--trainer", "valid=0"}, "", false},
		{file, []string{"--no-calibration"}, "", false},
		{few, nil, "1500 facts are too few to hold some out", false},
		{few, []string{"--trainer", "valid=5%"}, "hold out 75 of 1500 facts", false}, // too few to calibrate by
	}
	if long.Tests() { // calibration takes long
		trainings = append(trainings,
			run{few, []string{"--trainer", "valid=0.1"}, "hold out 150 of 1500 facts", true},
			run{file, nil, "hold out 210 of 2100 facts", true},
			run{file, []string{"--trainer", "valid=20%"}, "hold out 420 of 2100 facts", true})
	}
	for _, c := range trainings {
		out := filepath.Join(dir, "m.efoc")
		r := efoc(t, append([]string{"train", c.file, "-o", out, "--restart", "--rank", "8", "--epochs", "2"}, c.args...)...)
		if r.want(t, statusOK, "wrote", c.said); c.said == "" && strings.Contains(r.stderr, "for validation") {
			t.Errorf("train %q says %s", c.args, r.stderr)
		}
		m, err := runtime.Open(out)
		require.NoError(t, err)
		if calibrated := len(m.Bundle().Manifest.Confidence) > 0; calibrated != c.calibrated || m.Bundle().Manifest.Semantics != model.Mixed && !calibrated {
			t.Errorf("train %q: calibrated %v, want %v, semantics %s", c.args, calibrated, c.calibrated, m.Bundle().Manifest.Semantics)
		}
		var facts []string
		for r := 0; r < m.NumRelations(); r += 2 {
			heads, tails := m.Bundle().Graph.Edges(graph.RelationID(r))
			for i, h := range heads {
				facts = append(facts, m.Bundle().Entities.Name(int32(h))+"\t"+m.RelationName(graph.RelationID(r))+"\t"+m.Bundle().Entities.Name(int32(tails[i])))
			}
		}
		want := strings.Split(strings.TrimSpace(readText(t, c.file)), "\n")
		slices.Sort(facts)
		slices.Sort(want)
		if !slices.Equal(facts, want) || m.Bundle().Manifest.Triples != len(want) || len(m.Bundle().Manifest.Sources) != 1 {
			t.Errorf("train %q: the model has %d facts (%d stated) of %d sources, want %d of one", c.args, len(facts), m.Bundle().Manifest.Triples, len(m.Bundle().Manifest.Sources), len(want))
		}
		m.Close()
	}
}

// TestTrainHoldOut puts facts of one file aside: the model holds them back, sample draws the same queries
// from the model and from the file, and eval takes the file for the full graph.
func TestTrainHoldOut(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	file := write(t, at("clock.tsv"), clockFacts())
	efoc(t, "train", file, "-o", at("m.efoc"), "--holdout", "5%", "--trainer", "valid=0", "--rank", "8", "--epochs", "2").
		want(t, statusOK, "test MRR", "put 105 of 2100 facts aside")
	m, err := runtime.Open(at("m.efoc"))
	require.NoError(t, err)
	defer m.Close()
	if m.Bundle().Manifest.Heldout != 105 || m.Bundle().Manifest.Triples != 1995 {
		t.Errorf("the model has %d facts and holds %d back, want 1995 and 105", m.Bundle().Manifest.Triples, m.Bundle().Manifest.Heldout)
	}

	efoc(t, "sample", "--shape", "1p,2p", "-n", "20", "--seed", "3", "-m", at("m.efoc"), "-o", at("model.jsonl")).want(t, statusOK, "wrote 40 queries", "")
	efoc(t, "eval", "-m", at("m.efoc"), "--graph", file, at("model.jsonl")).want(t, statusOK, "1p", "")
}
