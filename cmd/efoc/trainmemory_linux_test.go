//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/training"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestTrainMemory compares the memory that a training promises with the most that its
// process has had, on a graph whose tables are most of it. The race detector takes memory of its own.
func TestTrainMemory(t *testing.T) {
	long.Need(t, "it trains a model of 40,000 entities")
	const n, facts = 40_000, 60_000
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	lines := func(count int) string {
		var text strings.Builder
		for range count {
			fmt.Fprintf(&text, "e%d\tr%d\te%d\n", rng.IntN(n), rng.IntN(5), rng.IntN(n))
		}
		return text.String()
	}
	write(t, filepath.Join(dir, "train.tsv"), lines(facts))
	write(t, filepath.Join(dir, "valid.tsv"), lines(100))
	out := filepath.Join(dir, "out.efoc")
	cmd, stdout, stderr := program([]string{"GOMAXPROCS=2"}, "train", dir, "-o", out, "--rank", "128", "--trainer", "negatives=200", "--epochs", "1", "--no-calibration")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	found := regexp.MustCompile(`takes about (\d+) MB of memory`).FindStringSubmatch(stderr.String())
	if found == nil {
		t.Fatalf("nothing is promised:\n%s", stderr)
	}
	promised, _ := strconv.ParseFloat(found[1], 64)
	text, err := os.ReadFile(filepath.Join(dir, "out.train.json"))
	require.NoError(t, err)
	var report training.Report
	require.NoError(t, json.Unmarshal(text, &report))
	if took := float64(report.Memory) / (1 << 20); took < 0.8*promised || took > 1.2*promised {
		t.Errorf("%.0f MB are promised and %.0f taken, want these within 20%%", promised, took)
	}
}
