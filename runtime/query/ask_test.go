package query

import (
	"context"
	"testing"

	"github.com/efoc/efoc/runtime/scq"
)

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
