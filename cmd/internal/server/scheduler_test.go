package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime/pause"
)

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
	s := newScheduler(Limits{Long: places, Memory: 64 << 10, Deadline: 10 * time.Second})
	s.longAfter = 0
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
	return s.running+s.waiting+s.long == 0 && s.longBytes == 0 && s.places.TryAcquire(int64(s.limit)) && s.memory.TryAcquire(s.bytes)
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
	p, is := errors.AsType[*problem](late.err)
	if !is || p.Status != http.StatusTooManyRequests || p.retry != 4 {
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
	if p, is := errors.AsType[*problem](second.err); !is || p.Status != http.StatusTooManyRequests {
		t.Errorf("work that takes the other half: %v", second.err)
	}
	close(first.goOn)
	<-first.ended
	if first.err != nil || !s.free() {
		t.Errorf("%v, and taken is %+v", first.err, s)
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

// heavyRequests are of each kind that may take long.
func heavyRequests() map[string][2]string {
	get := func(path string, values ...string) [2]string {
		v := url.Values{}
		for i := 0; i < len(values); i += 2 {
			v.Set(values[i], values[i+1])
		}
		return [2]string{path + "?" + v.Encode()}
	}
	const triangle = `exists x, y, z. borders(x, y) & borders(y, z) & borders(z, x)`
	return map[string][2]string{
		"answers":  get("/v1/ask", "formula", spanish),
		"fit":      get("/v1/ask", "formula", spanish, "semantics", "fit"),
		"large":    {"/v1/ask", `{"formula": "borders(\"Chad\", y) & borders(\"Peru\", y)", "semantics": "nsmp", "settings": {"layers": 40}}`},
		"rows":     get("/v1/ask", "formula", "x, y: capital(x, y)", "status", "known"),
		"sentence": get("/v1/ask", "formula", triangle),
		"count":    get("/v1/ask", "formula", spanish, "count", "true"),
		"connect":  get("/v1/connect", "from", "France", "to", "Peru"),
		"missing":  get("/v1/missing", "relation", "borders", "limit", "3"),
		"why":      {"/v1/witness", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "entities": ["Madrid"]}`},
		"explain":  get("/v1/explain", "formula", spanish),
		"search":   get("/v1/search", "q", "France"),
		"entity":   get("/v1/entity/France"),
		"relation": get("/v1/relation/borders"),
		"select":   get("/sparql", "query", "SELECT ?x ?y { ?x :borders ?y } LIMIT 10"),
		"sparql":   get("/sparql", "query", "SELECT ?y { :France :borders ?y }"),
		"describe": get("/sparql", "query", "DESCRIBE :France"),
	}
}

// TestBusy has a request of each kind come while there is enough work that takes long, and counts any work as
// such: each is refused at once, and told when to come again.
func TestBusy(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{Long: 1, Deadline: patience}})
	s.scheduler.longAfter = 0
	s.scheduler.long = 1
	s.scheduler.typical = patience
	for name, r := range heavyRequests() {
		method := "GET"
		if r[1] != "" {
			method = "POST"
		}
		status, text, header := callWith(t, hs, method, r[0], r[1], nil)
		seconds, err := strconv.Atoi(header.Get("Retry-After"))
		if status != http.StatusTooManyRequests || err != nil || seconds < 1 || !strings.Contains(text, "; ask again in "+print.Number(seconds, "second")) {
			t.Errorf("%s: status %d, %v: %.300s", name, status, header, text)
		}
	}
	const ask = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"borders(\"France\", y)"}}}`
	header := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if status, text, _ := callWith(t, hs, "POST", "/mcp", ask, header); status != http.StatusOK || !strings.Contains(text, "; ask again in ") {
		t.Errorf("an assistant: status %d: %s", status, text)
	}
}
