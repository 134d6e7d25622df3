package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/train"
	"github.com/efoc/efoc/testdata/require"
)

// machine fakes the time of trainings: so many operations a second.
type machine struct {
	speed    float64
	size     train.Size
	seconds  float64 // used so far
	measured []train.Options
}

// measure charges two steps to the time.
func (m *machine) measure(o train.Options) (trainCost, error) {
	m.measured = append(m.measured, o)
	c := trainCost{step: o.Work(m.size) / m.speed}
	m.seconds += 2 * c.step
	return c, nil
}

// TestTrainFit checks what is chosen for graphs of several sizes by a budget: the
// numbers of negatives that are known to be good, by few measurements, whose time counts.
func TestTrainFit(t *testing.T) {
	const gflops = 1e9
	for _, c := range []struct {
		name             string
		entities, facts  int
		budget, speed    float64
		memory           int64
		rank, negatives  int // chosen; 0 for an error
		measured, epochs int // at most, at least
		want             string
	}{
		// 12,000 negatives or 4,000, or 1,000 of very many entities, never a share of the entities or all of them. A step
		// of 1,000 examples takes 1.6 thousand million operations at rank 32 with 4,000;
		// an epoch of 300,000 facts has 600 steps: 3.1 s, and 19 s at rank 64 with 12,000.
		{"100k in a minute", 100_000, 300_000, 60, 300 * gflops, 0, 32, 4_000, 6, 15, ""},
		{"100k in five minutes", 100_000, 300_000, 300, 300 * gflops, 0, 128, 4_000, 6, 15, ""},
		{"100k in an hour", 100_000, 300_000, 3600, 300 * gflops, 0, 256, 12_000, 2, 22, ""},
		{"1M in a minute", 1_000_000, 2_000_000, 60, 300 * gflops, 0, 32, 1_000, 6, 6, ""},
		{"1M in an hour", 1_000_000, 2_000_000, 3600, 300 * gflops, 0, 256, 4_000, 6, 15, ""},
		{"1M, 3 GB", 1_000_000, 2_000_000, 36000, 300 * gflops, 3 << 30, 64, 12_000, 3, 22, ""},
		{"1M, no memory", 1_000_000, 2_000_000, 36000, 300 * gflops, 100 << 20, 0, 0, 0, 0, "of memory, and 100 MB are available"},
		// A part of an epoch, which takes 3.5 s.
		{"1M in two seconds", 1_000_000, 2_000_000, 2, 300 * gflops, 0, 32, 1_000, 1, 1, ""},
		// A small graph has all entities in its softmax, as without a budget.
		{"FB15k-237 in an hour", 14_505, 272_115, 3600, 300 * gflops, 0, 256, 0, 2, 22, ""},
		{"FB15k-237 in five minutes", 14_505, 272_115, 300, 300 * gflops, 0, 128, 4_000, 6, 15, ""},
	} {
		o, s := trainDefaults(c.entities, c.facts)
		m := &machine{speed: c.speed, size: train.Size{Entities: c.entities, Relations: 474, Facts: c.facts, Ranked: true}}
		f := &trainFit{size: m.size, memory: c.memory, measure: m.measure, left: func() float64 { return c.budget - m.seconds }}
		p, err := f.choose(candidates(o, []int{256, 128, 64, 32}, negativesFor(c.entities, o.Negatives)), s)
		if c.rank == 0 {
			if err == nil || !strings.Contains(err.Error(), c.want) || len(m.measured) > c.measured {
				t.Errorf("%s: error is %v after %d measurements, want %s", c.name, err, len(m.measured), c.want)
			}
			continue
		}
		if err != nil || p.options.Rank != c.rank || p.options.Negatives != c.negatives || p.schedule.Epochs < c.epochs {
			t.Errorf("%s: rank %d, %d negatives, %d epochs, %v; want %d, %d, %d or more", c.name, p.options.Rank, p.options.Negatives, p.schedule.Epochs, err, c.rank, c.negatives, c.epochs)
		}
		if len(m.measured) > c.measured {
			t.Errorf("%s: %d measurements, want %d at most: %v", c.name, len(m.measured), c.measured, m.measured)
		}
		if all := m.seconds + p.seconds; all > c.budget || p.seconds <= 0 {
			t.Errorf("%s: measured for %.1f s, to train for %.1f s, want %.1f together", c.name, m.seconds, p.seconds, c.budget)
		}
	}
}

// TestTrainFitRanks checks that validations and the ranks at the end are part of the
// time, and that a number of epochs that is given stays.
func TestTrainFitRanks(t *testing.T) {
	o, s := trainDefaults(1_000_000, 300_000)
	o.Rank = 64
	size := train.Size{Entities: 1_000_000, Relations: 2, Facts: 300_000, Ranked: true}
	f := &trainFit{size: size, validRanks: 1000, finalRanks: 2000, left: func() float64 { return 1000 }}
	// Of 1000 seconds 100 are for what follows, 40 for the tables and 20 for the ranks at the end.
	// An epoch takes 60, a validation 10 or, with a fifth of the time for these, less often.
	cost := trainCost{begin: 40, rank: 0.01, step: 60.0 / float64(o.Steps(size))}
	f.measure = func(train.Options) (trainCost, error) { return cost, nil }
	p, err := f.choose([]train.Options{o}, s)
	if err != nil || p.schedule.Epochs != 12 || p.schedule.Every != 1 || p.seconds > 900 || p.seconds < 800 {
		t.Errorf("plan is %+v, %v", p, err)
	}
	cost.rank = 0.1
	if p, err = f.choose([]train.Options{o}, s); err != nil || p.schedule.Every != 7 || p.schedule.Epochs != 8 || p.seconds > 900 {
		t.Errorf("with slow ranks the plan is %+v, %v", p, err)
	}
	f.epochsGiven, s.Epochs = true, 30
	if p, err = f.choose([]train.Options{o}, s); err != nil || p.schedule.Epochs != 30 || p.seconds < 1000 {
		t.Errorf("with epochs given the plan is %+v, %v", p, err)
	}
	broken := errors.New("broken")
	f.measure = func(train.Options) (trainCost, error) { return trainCost{}, broken }
	if _, err = f.choose([]train.Options{o}, s); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

// TestProbePart checks that what steps are measured on is small however large the
// graph, and has its relations.
func TestProbePart(t *testing.T) {
	var list []model.Triple
	const most = 40_000
	const n, relations = 3 * most, 5
	for i := range 50_000 {
		list = append(list, model.Triple{Head: model.EntityID(i * 2 % n), Relation: int32(i % relations), Tail: model.EntityID((i*31 + 7) % n)})
	}
	g, err := model.NewGraph(n, relations, list)
	require.NoError(t, err)
	part, err := probePart(g, most, 4000)
	require.NoError(t, err)
	if part.NumEntities() != most || part.NumRelations() != 2*relations || part.NumTriples() < 3900 || part.NumTriples() > 4000+relations {
		t.Errorf("part has %d entities, %d relations, %d facts", part.NumEntities(), part.NumRelations(), part.NumTriples())
	}
	for r := range model.RelationID(part.NumRelations()) {
		if heads, _ := part.Edges(r); len(heads) == 0 {
			t.Errorf("relation %d has no facts", r)
		}
	}
	small, err := model.NewGraph(10, relations, []model.Triple{{Head: 1, Relation: 2, Tail: 3}})
	require.NoError(t, err)
	if part, err := probePart(small, most, 4000); err != nil || part != small {
		t.Errorf("a small graph is measured on %v, %v", part, err)
	}
}
