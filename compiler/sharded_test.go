package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// shardModel splits a model into files and opens it on ranks of this process.
func shardModel(tb testing.TB, m *model.Model, of int) *query.Model {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "split")
	if err := model.Split(context.Background(), dir, m, of, nil); err != nil {
		tb.Fatal(err)
	}
	head, err := model.OpenHead(dir)
	if err != nil {
		tb.Fatal(err)
	}
	ranks := collective.Local(of, 5*time.Minute)
	ended := make(chan error, of)
	for i := 1; i < of; i++ {
		s, err := model.OpenShard(dir, i, of)
		if err != nil {
			tb.Fatal(err)
		}
		go func() { ended <- query.ServeShard(context.Background(), s, ranks[i], compiler.Plans(nil)) }()
	}
	own, err := model.OpenShard(dir, 0, of)
	if err != nil {
		tb.Fatal(err)
	}
	sharded, err := query.Sharded(head, own, ranks[0], compiler.Plans(nil))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := sharded.Close(); err != nil {
			tb.Error(err)
		}
		for range of - 1 {
			if err := <-ended; err != nil {
				tb.Error(err)
			}
		}
	})
	return sharded
}

// TestSharded answers all benchmark shapes on models that are split, and compares with the
// interpreter, and the best answers with those of the whole model.
func TestSharded(t *testing.T) {
	for _, semantics := range model.AllSemantics {
		for seed, shards := range [][]int{{1, 3}, {2, 8}} {
			const relations = 3
			n := 30 + 17*seed
			m, err := plantest.NewModel(uint64(seed), n, relations, 4, model.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { m.Close() })
			for _, of := range shards {
				t.Run(fmt.Sprintf("%s/%d/%d", semantics, seed, of), func(t *testing.T) {
					split := shardModel(t, m.Model, of)
					for _, shape := range lang.Shapes {
						compareSharded(t, m, split, shape.Name, semantics, n, relations)
					}
				})
			}
		}
	}
}

func compareSharded(t *testing.T, whole, split *query.Model, name string, semantics model.Semantics, n, relations int) {
	t.Helper()
	q, err := lang.ShapeQuery(name)
	if err != nil {
		t.Fatal(err)
	}
	b := scq.Bindings{}
	one, err := compiler.Prepare(whole, q, compiler.PrepareOptions{Semantics: &semantics})
	if err != nil {
		t.Fatal(err)
	}
	many, err := compiler.Prepare(split, q, compiler.PrepareOptions{Semantics: &semantics})
	if err != nil {
		t.Fatal(err)
	}
	for i := range one.Shape.Constants {
		b.Constants = append(b.Constants, model.EntityID((7*i+3)%n))
	}
	for i := range one.Shape.Relations {
		b.Relations = append(b.Relations, model.RelationID(i%(2*relations)))
	}
	scores := func() (got [][]float32) {
		err := many.Query.Scores(t.Context(), b, nil, func(x query.Vector, sets []query.Vector) error {
			got = append(got, slices.Clone(x))
			for _, set := range sets {
				got = append(got, slices.Clone(set))
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return got
	}
	want, err := reference.Expect(t.Context(), one.Compiled.Naive, whole.Model, one.Settings, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := scores()
	what, err := want.Compare(t.Context(), whole.Model, got)
	if err != nil {
		t.Fatal(err)
	}
	if what != "" {
		t.Fatalf("%s: %s", name, what)
	}
	if again := scores(); !slices.EqualFunc(got, again, slices.Equal) {
		t.Errorf("%s: two runs of one split differ", name)
	}
	o := query.Options{K: 5, SetSize: 3}
	x, err := one.Query.Answer(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	y, err := many.Query.Answer(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range x.Answers {
		if c := y.Answers[i]; c.Entity != a.Entity && math.Abs(float64(c.Score-a.Score)) > 1e-4*float64(a.Score) || c.Status != a.Status && c.Entity == a.Entity {
			t.Errorf("%s: answer %d is %v, want %v", name, i, c, a)
		}
	}
}

// ends is a context that ends when it has been looked at so often.
type ends struct {
	context.Context
	left int
}

func (e *ends) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestShardedCancelled cancels a question at each exchange: every rank is free again for the
// next one.
func TestShardedCancelled(t *testing.T) {
	m, err := plantest.NewModel(1, 40, 3, 4, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	split := shardModel(t, m.Model, 3)
	for _, semantics := range model.AllSemantics {
		q, err := lang.ShapeQuery("3cm")
		if err != nil {
			t.Fatal(err)
		}
		p, err := compiler.Prepare(split, q, compiler.PrepareOptions{Semantics: &semantics})
		if err != nil {
			t.Fatal(err)
		}
		b := scq.Bindings{Constants: []model.EntityID{3, 17}, Relations: []model.RelationID{0, 1, 2, 3, 4, 5}}
		ask := func(ctx context.Context) (*query.Answers, error) { return p.Query.Answer(ctx, b, query.Options{}) }
		want, err := ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for looks := 0; ; looks++ {
			got, err := ask(&ends{t.Context(), looks})
			if err == nil {
				if looks < 10 || got.Answers[0].Member != want.Answers[0].Member {
					t.Errorf("%s: with %d looks the best answer is %+v, want %+v", semantics, looks, got.Answers[0], want.Answers[0])
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error after %d looks is %v", semantics, looks, err)
			}
			if looks%16 == 0 {
				if got, err := ask(t.Context()); err != nil || got.Answers[0].Member != want.Answers[0].Member {
					t.Fatalf("%s: after a question that was cancelled the best answer is %+v: %v", semantics, got, err)
				}
			}
		}
	}
}

// TestShardedTogether asks many questions of two shapes at a time, some of which give up: each of
// the others has the answer that it has alone.
func TestShardedTogether(t *testing.T) {
	const n, relations = 40, 3
	m, err := plantest.NewModel(3, n, relations, 4, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	split := shardModel(t, m.Model, 3)
	for _, semantics := range model.AllSemantics {
		var wg sync.WaitGroup
		for i := range 48 {
			q, err := lang.ShapeQuery([]string{"2p", "ip"}[i%2])
			if err != nil {
				t.Fatal(err)
			}
			var answers [2][]query.Answer
			ask := func(k int, on *query.Model, ctx context.Context) error {
				p, err := compiler.Prepare(on, q, compiler.PrepareOptions{Semantics: &semantics})
				if err != nil {
					return err
				}
				var b scq.Bindings
				for c := range p.Shape.Constants {
					b.Constants = append(b.Constants, model.EntityID((i+7*c)%n))
				}
				for r := range p.Shape.Relations {
					b.Relations = append(b.Relations, model.RelationID((i+r)%(2*relations)))
				}
				a, err := p.Query.Answer(ctx, b, query.Options{K: 5})
				if err == nil {
					answers[k] = a.Answers
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
