package host

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime/pause"
)

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it never came to that", what)
		}
	}
}

// longWork is work that has taken long.
type longWork struct {
	s           *scheduler
	goOn, ended chan struct{}
	times       atomic.Int64
	err         error
}

// begin begins work that pauses once and then waits for goOn.
func begin(ctx context.Context, s *scheduler, bytes int64) *longWork {
	w := &longWork{s: s, goOn: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		w.err = s.run(ctx, bytes, func(ctx context.Context) error {
			w.times.Add(1)
			if err := pause.Here(ctx); err != nil {
				return err
			}
			<-w.goOn
			return nil
		})
	}()
	return w
}

// lasting returns a scheduler with some places, which all work needs from its first step on.
func lasting(places int, typical time.Duration) *scheduler {
	s := newScheduler(limits.Limits{Long: places, Memory: 64 << 10, LongAfter: 1, Deadline: 10 * time.Second})
	s.typical = typical
	return s
}

// entered waits until some work has a place or waits for one.
func (s *scheduler) entered(t *testing.T, n int) {
	t.Helper()
	until(t, "work has taken long", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.long == n
	})
}

// free reports whether nothing is taken.
func (s *scheduler) free() bool {
	return s.running+s.waiting+s.long == 0 && s.longBytes == 0 && s.places.TryAcquire(int64(s.limit)) &&
		s.memory.TryAcquire(s.bytes-s.bytes/reserved) && s.reserve.TryAcquire(s.bytes/reserved)
}

// TestSchedulerPlaces has work take long where there are two places: a third job waits, and a fourth, which would come
// too late, is refused at once and told when to come again. None is done twice.
func TestSchedulerPlaces(t *testing.T) {
	s := lasting(2, 4*time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
	defer cancel()
	var works []*longWork
	for n := range 3 {
		works = append(works, begin(ctx, s, 1))
		s.entered(t, n+1)
	}
	late := begin(ctx, s, 1)
	<-late.ended
	p, is := errors.AsType[*problem.Problem](late.err)
	if !is || p.Status != http.StatusTooManyRequests || p.Retry != 4 {
		t.Errorf("the fourth: %v", late.err)
	}
	for _, w := range works {
		close(w.goOn)
		<-w.ended
		if w.times.Load() != 1 || w.err != nil {
			t.Errorf("work was done %d times: %v", w.times.Load(), w.err)
		}
	}
	if s.typical >= 4*time.Second {
		t.Errorf("work that took no time counts as %s", s.typical)
	}
	if !s.free() {
		t.Errorf("something is still taken: %+v", s)
	}
}

// TestSchedulerHalf has work take long that needs much memory: it leaves half for other work.
func TestSchedulerHalf(t *testing.T) {
	s := lasting(8, time.Millisecond)
	first := begin(t.Context(), s, s.most())
	s.entered(t, 1)
	second := begin(t.Context(), s, s.bytes/4)
	<-second.ended
	if p, is := errors.AsType[*problem.Problem](second.err); !is || p.Status != http.StatusTooManyRequests {
		t.Errorf("work that takes the other half: %v", second.err)
	}
	close(first.goOn)
	<-first.ended
	if first.err != nil || !s.free() {
		t.Errorf("%v, and taken is %+v", first.err, s)
	}
}

// TestSchedulerReserve has work wait for much memory: work that needs little, such as another client's short question,
// does not wait behind it.
func TestSchedulerReserve(t *testing.T) {
	s := newScheduler(limits.Limits{Long: 8, Memory: 64 << 10, LongAfter: time.Hour, Deadline: 10 * time.Second})
	first := begin(t.Context(), s, s.most())
	until(t, "work runs", func() bool { return first.times.Load() == 1 })
	second := begin(t.Context(), s, s.most())
	until(t, "one waits for memory", func() bool { _, waiting := s.state(); return waiting == 1 })
	for range maxTogether {
		short := begin(t.Context(), s, 1)
		until(t, "short work runs", func() bool { return short.times.Load() == 1 })
		close(short.goOn)
		<-short.ended
		if short.err != nil || second.times.Load() != 0 {
			t.Errorf("short work: %v, while the second runs %d times", short.err, second.times.Load())
		}
	}
	close(first.goOn)
	<-first.ended
	close(second.goOn)
	<-second.ended
	if first.err != nil || second.err != nil || !s.free() {
		t.Errorf("%v, %v, and taken is %+v", first.err, second.err, s)
	}
}

// TestSchedulerGone has clients go away that wait for memory or for a place: nothing of them stays.
func TestSchedulerGone(t *testing.T) {
	s := lasting(1, time.Millisecond)
	first := begin(t.Context(), s, 1)
	s.entered(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	place := begin(ctx, s, 1)
	s.entered(t, 2)
	memory := begin(ctx, s, s.bytes)
	until(t, "one waits for memory", func() bool { _, waiting := s.state(); return waiting == 1 })
	cancel()
	<-place.ended
	<-memory.ended
	if !errors.Is(place.err, context.Canceled) {
		t.Errorf("work without a place: %v", place.err)
	}
	if !errors.Is(memory.err, context.Canceled) || memory.times.Load() != 0 {
		t.Errorf("work without memory: %v", memory.err)
	}
	close(first.goOn)
	<-first.ended
	if !s.free() {
		t.Errorf("something is still taken: %+v", s)
	}
}
