package difftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// The number of cases that TestSharded compares.
const (
	shardedCases     = 150
	longShardedCases = 10_000
)

// TestSharded compares split models with the reference, as TestDifferential does for unsplit ones: on 1 to 8
// shards, which are goroutines. Numbers are exchanged along links by whichever takes fewer bytes, or are all
// pulled, or all pushed.
func TestSharded(t *testing.T) {
	want := shardedCases
	switch {
	case *cases > 0:
		want = *cases
	case long.Tests():
		want = longShardedCases
	case testing.Short():
		want = shardedCases / 4
	}
	qs, err := newQuestions()
	require.NoError(t, err)
	defer qs.model.Close()
	from := seed.Of(t)
	compared, disagreements := 0, 0
	for world := uint64(1 << 40); compared < want && disagreements < most; world++ {
		rng := rand.New(rand.NewPCG(from, world))
		j := &job{}
		require.NoError(t, j.draw(qs, rng))
		n, failed, err := j.compareSharded(1 + rng.IntN(min(8, j.world.Entities)))
		if err != nil {
			t.Fatalf("world %d, %+v: %v", world, j.world, err)
		}
		compared += n
		for _, what := range failed {
			disagreements++
			t.Errorf("world %d: %s", world-1<<40, what)
		}
	}
	t.Logf("%d cases, %d disagreements, seed %d", compared, disagreements, from)
}

// compareSharded asks every group of a job on the given number of shards.
func (j *job) compareSharded(of int) (compared int, failed []string, err error) {
	m, err := j.world.model()
	if err != nil {
		return 0, nil, err
	}
	defer m.Close()
	split, end, err := shards.Here(m.Bundle(), of, stages.Distributed, nil)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, g := range j.groups {
		for _, engine := range engines[:2] {
			p := g.question.plans[engine]
			if p == nil {
				continue
			}
			asked, err := split.Bind(byslot.Spec("", p, plantest.Conditions(g.question.shape.Filters)))
			if err != nil {
				return compared, failed, err
			}
			what, err := differences(asked, m, g.want, g.ranked)
			if err != nil {
				return compared, failed, err
			}
			compared += len(what)
			for i, what := range what {
				if what != "" {
					failed = append(failed, fmt.Sprintf("%d shards, %s, %s, query %d of\n%s\n%+v\n%v: %s", of, g.Semantics, engine, i, g.Query, g.Settings, g.Bindings, what))
				}
			}
		}
	}
	return compared, failed, nil
}
