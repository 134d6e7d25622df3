package query

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// TestTogetherOnShards asks how many queries run at a time on one of two shards of 0.3 MB: small
// ones together, and besides the first they take 4 MB at most, of vectors alone, or whole ones.
func TestTogetherOnShards(t *testing.T) {
	const n, most = 10_000, 4 << 20
	m := randomModel(t, rand.New(rand.NewPCG(19, 2)), n, 4, model.Float32)
	var first *model.Model
	if err := m.Shards(2, func(s *model.Model) error {
		if first == nil {
			first = s
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	own := &shard{model: NewModel(first), part: part.New(first, collective.NewGroup(collective.Local(2, time.Minute)[0]))}
	s := &shards{own: own}
	for _, whole := range []bool{false, true} {
		last := maxTogether + 1
		for _, vectors := range []int{1, 2, 4, 8, 16, 64, 1000, 100_000} {
			got := s.together(&Plan{Vectors: vectors, Embeddings: vectors}, whole)
			bytes := 4 * vectors * n / 2
			if whole {
				bytes += 4 * n
			}
			if got < 1 || got > last || (got-1)*bytes > most {
				t.Errorf("%d queries of %d vectors, whole %v, take %d bytes besides the first", got, vectors, whole, (got-1)*bytes)
			}
			if last = got; vectors == 1 && got < 8 || vectors == 100_000 && got != 1 {
				t.Errorf("%d queries of %d vectors, whole %v", got, vectors, whole)
			}
		}
	}
}

// TestTake has questions wait: whose turn it is takes along those that are alike, as many as run
// together, in order, and leaves the others.
func TestTake(t *testing.T) {
	s := &shards{}
	ask := func(shape string, k, batch int) *asked {
		a := &asked{ctx: context.Background(), question: &question{Shape: shape, K: k, Batch: make([]scq.Bindings, batch), most: 8}}
		s.waiting = append(s.waiting, a)
		return a
	}
	a, other, b := ask("r1(s1,f)", 10, 3), ask("r1(s1,e1) & r2(e1,f)", 10, 1), ask("r1(s1,f)", 10, 4)
	more, large, c := ask("r1(s1,f)", 5, 1), ask("r1(s1,f)", 10, 2), ask("r1(s1,f)", 10, 1)
	want := func(of *asked, list ...*asked) {
		t.Helper()
		got := s.take(of)
		if len(got) != len(list) {
			t.Fatalf("%d questions, want %d", len(got), len(list))
		}
		for i := range list {
			if got[i] != list[i] {
				t.Errorf("question %d is %+v, want %+v", i, got[i].question, list[i].question)
			}
		}
	}
	want(a, a, b, c)
	want(b)
	want(large, large)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	other.ctx = cancelled
	last := ask("r1(s1,e1) & r2(e1,f)", 10, 1)
	want(other, other)
	want(more, more)
	want(last, last)
	if len(s.waiting) > 0 {
		t.Errorf("%d questions still wait", len(s.waiting))
	}
}

// TestUntilAll ends a context when those of all questions have ended, not before.
func TestUntilAll(t *testing.T) {
	var batch []*asked
	var ends []func()
	for range 3 {
		ctx, end := context.WithCancel(t.Context())
		batch, ends = append(batch, &asked{ctx: ctx}), append(ends, end)
	}
	ctx, done := untilAll(batch)
	defer done()
	for _, end := range ends {
		if ctx.Err() != nil {
			t.Fatal("it has ended before the last question")
		}
		end()
	}
	<-ctx.Done()
}
