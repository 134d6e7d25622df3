package main

import (
	"testing"

	"github.com/efoc/efoc/runtime/model/train"
)

// TestTrainFitMemory lowers the rank that nobody gave until a training fits into memory, and
// leaves one that was given.
func TestTrainFitMemory(t *testing.T) {
	size := train.Size{Entities: 5_000_000, Relations: 40, Facts: 50_000_000}
	usual, schedule := trainDefaults(size.Entities, size.Facts)
	of := func(rank int) int64 { o := usual; o.Rank = rank; return o.Memory(size, 0) }
	all := []int{usual.Rank, 128, 64, 32, leastRank}
	for _, c := range []struct {
		ranks  []int
		memory int64
		want   int
	}{
		{all, 0, usual.Rank}, {all, of(usual.Rank), usual.Rank}, {all, of(usual.Rank) - 1, usual.Rank / 2},
		{all, of(64), 64}, {all, 1, leastRank}, {all[:1], 1, usual.Rank},
	} {
		f := &trainFit{size: size, memory: c.memory, measure: func(train.Options) (trainCost, error) { return trainCost{step: 1}, nil }}
		p, err := f.choose(candidates(usual, c.ranks, []int{usual.Negatives}), schedule)
		if err != nil || p.options.Rank != c.want || p.schedule != schedule {
			t.Errorf("%d bytes: rank %d, %+v, %v; want %d", c.memory, p.options.Rank, p.schedule, err, c.want)
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

// TestTrainRelations checks that relations are predicted from rank 512 on in graphs like FB15k-237, not in
// those like NELL995, and as is given in all.
func TestTrainRelations(t *testing.T) {
	for _, c := range []struct {
		entities, facts, rank int
		given                 *float64
		want                  float64
	}{
		{14_505, 272_115, 256, nil, 0}, {14_505, 272_115, 512, nil, 4}, {14_505, 272_115, 1000, new(0.0), 0},
		{63_361, 114_213, 1000, nil, 0}, {63_361, 114_213, 1000, new(2.0), 2}, {2_000, 6_000, 512, nil, 1},
	} {
		cmd := &trainCmd{Rank: &c.rank}
		cmd.trainer.relations = c.given
		if o, _ := cmd.optionsFor(c.entities, c.facts); o.Relations != c.want || o.Rank != c.rank {
			t.Errorf("%+v: weight %v at rank %d", c, o.Relations, o.Rank)
		}
	}
}
