package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestTrainHoldOut trains on one file: facts are held out to calibrate by, and are in the
// graph of the model all the same.
func TestTrainHoldOut(t *testing.T) {
	const hours = 700 // with three relations each, more than the facts that are too few
	dir := t.TempDir()
	var clock strings.Builder
	for h := range hours {
		for k := 1; k <= 3; k++ {
			fmt.Fprintf(&clock, "h%d\tplus%d\th%d\n", h, k, (h+k)%hours)
		}
	}
	file := write(t, filepath.Join(dir, "clock.tsv"), clock.String())
	few := write(t, filepath.Join(dir, "few.tsv"), strings.Join(strings.SplitAfter(clock.String(), "\n")[:3*leastFacts/4], ""))
	type training struct {
		file       string
		args       []string
		said       string
		calibrated bool
	}
	trainings := []training{
		{file, []string{"--holdout", "0"}, "", false},
		{file, []string{"--no-calibration"}, "", false},
		{few, nil, "1500 facts are too few to hold some out", false},
		{few, []string{"--holdout", "0.05"}, "held out 75 of 1500 facts", false}, // too few to calibrate by
	}
	if long.Tests() { // calibration takes long
		trainings = append(trainings,
			training{few, []string{"--holdout", "0.1"}, "held out 150 of 1500 facts", true},
			training{file, nil, "held out 210 of 2100 facts", true},
			training{file, []string{"--holdout", "0.2"}, "held out 420 of 2100 facts", true})
	}
	for _, c := range trainings {
		out := filepath.Join(dir, "m.efoc")
		r := efoc(t, append([]string{"train", c.file, "-o", out, "--restart", "--rank", "8", "--epochs", "2"}, c.args...)...)
		if r.want(t, statusOK, "wrote", c.said); c.said == "" && strings.Contains(r.stderr, "hold") {
			t.Errorf("train %q says %s", c.args, r.stderr)
		}
		m, err := runtime.Open(out)
		require.NoError(t, err)
		if calibrated := len(m.Manifest.Confidence) > 0; calibrated != c.calibrated || m.Manifest.Semantics != model.Mixed && !calibrated {
			t.Errorf("train %q: calibrated %v, want %v, semantics %s", c.args, calibrated, c.calibrated, m.Manifest.Semantics)
		}
		var facts []string
		for r := 0; r < m.NumRelations(); r += 2 {
			heads, tails := m.Graph.Edges(model.RelationID(r))
			for i, h := range heads {
				facts = append(facts, m.Entities.Name(int32(h))+"\t"+m.RelationName(model.RelationID(r))+"\t"+m.Entities.Name(int32(tails[i])))
			}
		}
		want := strings.Split(strings.TrimSpace(readText(t, c.file)), "\n")
		slices.Sort(facts)
		slices.Sort(want)
		if !slices.Equal(facts, want) || m.Manifest.Triples != len(want) || len(m.Manifest.Sources) != 1 {
			t.Errorf("train %q: the model has %d facts (%d stated) of %d sources, want %d of one", c.args, len(facts), m.Manifest.Triples, len(m.Manifest.Sources), len(want))
		}
		m.Close()
	}
}
