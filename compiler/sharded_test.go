package compiler_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// splitModel makes a small model and splits it into ranks of this process.
func splitModel(t *testing.T, seed uint64) (whole, split *runtime.Model) {
	t.Helper()
	m, err := plantest.NewModel(seed, 40, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	split, end, err := shards.Here(m.Bundle(), 3, stages.Distributed, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return m, split
}

// ends is a context that ends after a number of checks.
type ends struct {
	context.Context
	left atomic.Int64
}

func (e *ends) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestShardedCancelled cancels a question, and a batch, at each exchange: every rank must then be ready for the
// next one.
func TestShardedCancelled(t *testing.T) {
	_, split := splitModel(t, 1)
	for _, size := range []int{1, 3} {
		for _, semantics := range model.AllSemantics {
			cancelEverywhere(t, split, semantics, size)
		}
	}
}

func cancelEverywhere(t *testing.T, split *runtime.Model, semantics model.Semantics, size int) {
	t.Helper()
	q, err := benchmark.Query("3cm")
	require.NoError(t, err)
	p, err := compiler.Prepare(split, q, compiler.Options{Semantics: &semantics})
	require.NoError(t, err)
	b := p.Spec().Args(3, 17, 0, 1, 2, 3, 4, 5)
	ask := func(ctx context.Context) (*runtime.Reply, error) {
		list, err := p.AskAll(ctx, slices.Repeat([]runtime.Args{b}, size), runtime.Options{})
		if err != nil {
			return nil, err
		}
		return list[size-1], nil
	}
	want, err := ask(t.Context())
	require.NoError(t, err)
	for looks := 0; ; looks++ {
		ctx := &ends{Context: t.Context()}
		ctx.left.Store(int64(looks))
		got, err := ask(ctx)
		if err == nil {
			if looks < 10 || !sameMember(got.Rows[0], want.Rows[0]) {
				t.Errorf("%s: with %d looks the best answer is %+v, want %+v", semantics, looks, got.Rows[0], want.Rows[0])
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error after %d looks is %v", semantics, looks, err)
		}
		if looks%16 == 0 {
			if got, err := ask(t.Context()); err != nil || !sameMember(got.Rows[0], want.Rows[0]) {
				t.Fatalf("%s: after a question that was cancelled the best answer is %+v: %v", semantics, got, err)
			}
		}
	}
}

// TestShardedTogether asks many questions of two shapes concurrently and cancels some: each of the others must
// get the same answer as without concurrency.
func TestShardedTogether(t *testing.T) {
	const n, relations = 40, 3
	m, split := splitModel(t, 3)
	for _, semantics := range model.AllSemantics {
		var wg sync.WaitGroup
		for i := range 48 {
			q, err := benchmark.Query([]string{"2p", "ip"}[i%2])
			require.NoError(t, err)
			var answers [2][]runtime.Row
			ask := func(k int, on *runtime.Model, ctx context.Context) error {
				p, err := compiler.Prepare(on, q, compiler.Options{Semantics: &semantics})
				if err != nil {
					return err
				}
				var b scq.Bindings
				for c := range p.Shape().Constants {
					b.Constants = append(b.Constants, graph.EntityID((i+7*c)%n))
				}
				for r := range p.Shape().Relations {
					b.Relations = append(b.Relations, graph.RelationID((i+r)%(2*relations)))
				}
				a, err := p.Ask(ctx, byslot.Args(b), runtime.Options{K: 5})
				if err == nil {
					answers[k] = a.Rows
				}
				return err
			}
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%5 == 4 {
					go cancel()
				}
				if err := errors.Join(ask(0, m, t.Context()), ask(1, split, ctx)); err != nil {
					if i%5 != 4 || !errors.Is(err, context.Canceled) {
						t.Errorf("%s, question %d: %v", semantics, i, err)
					}
					return
				}
				for k, want := range answers[0] {
					if got := answers[1][k]; math.Abs(float64(got.Score-want.Score)) > 1e-4*float64(want.Score) {
						t.Errorf("%s, question %d: answer %d is %+v, want %+v", semantics, i, k, got, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

// sameMember reports whether rows of one variable have the same entity and score.
func sameMember(a, b runtime.Row) bool { return a.Values[0].ID == b.Values[0].ID && a.Score == b.Score }
