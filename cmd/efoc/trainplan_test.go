package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/train"
)

// TestFitMemory lowers the rank that nobody gave until a training fits into memory, and
// leaves one that was given.
func TestFitMemory(t *testing.T) {
	size := train.Size{Entities: 5_000_000, Relations: 40, Facts: 50_000_000}
	usual, _ := trainDefaults(size.Entities, size.Facts)
	of := func(rank int) int64 { o := usual; o.Rank = rank; return o.Memory(size, 0) }
	given := usual.Rank
	for _, c := range []struct {
		rank   *int
		memory int64
		want   int
	}{
		{nil, 0, usual.Rank}, {nil, of(usual.Rank), usual.Rank}, {nil, of(usual.Rank) - 1, usual.Rank / 2},
		{nil, of(64), 64}, {nil, 1, leastRank}, {&given, 1, usual.Rank},
	} {
		var notes bytes.Buffer
		o := usual
		(&trainCmd{Rank: c.rank}).fitMemory(&app{stderr: &notes}, &o, size, c.memory)
		if o.Rank != c.want || (c.want != usual.Rank) != strings.Contains(notes.String(), "instead of 256") {
			t.Errorf("%d bytes: rank %d, want %d; %s", c.memory, o.Rank, c.want, notes.String())
		}
	}
}

// TestTrainDefaults checks the negatives: all entities of a small graph, 12,000 of a large
// one, however large.
func TestTrainDefaults(t *testing.T) {
	for _, c := range []struct{ entities, negatives int }{{14_505, 0}, {40_000, 0}, {40_001, 12_000}, {1_000_000, 12_000}, {10_000_000, 12_000}} {
		if o, _ := trainDefaults(c.entities, 10*c.entities); o.Negatives != c.negatives {
			t.Errorf("%d entities: %d negatives, want %d", c.entities, o.Negatives, c.negatives)
		}
	}
}
