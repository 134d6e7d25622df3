package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/pause"
)

// clock is a clock that work sets, one step after the other.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.at.Load()) }

func (c *clock) work(ctx context.Context, step time.Duration) error {
	c.at.Add(int64(step))
	return pause.Here(ctx)
}

// oneTurn returns turns of which one is given at a time, by a clock that begins now.
func oneTurn() (*turns, *clock) {
	c := &clock{}
	c.at.Store(time.Now().UnixNano())
	t := newTurns(Limits{Running: 1, Memory: 1 << 20, Deadline: 10 * time.Second})
	t.now = c.now
	return t, c
}

// waits waits until some number of tickets wait for a turn. The caller has the only one.
func (t *turns) waits(tickets int) {
	for _, waiting := t.state(); waiting < tickets; _, waiting = t.state() {
		goruntime.Gosched()
	}
}

// hasQueued waits until a ticket waits for a turn.
func (t *turns) hasQueued(k *ticket) {
	queued := func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return k.ready != nil
	}
	for !queued() {
		goruntime.Gosched()
	}
}

// TestTurnsShort has a short question come while eight long ones work: it is answered after one step of
// theirs, or five if one has starved.
func TestTurnsShort(t *testing.T) {
	ts, c := oneTurn()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var steps atomic.Int64 // of the long ones
	var after []int64
	short := func(k *ticket, before int64) {
		defer k.close()
		k.run(t.Context(), func(ctx context.Context) (err error) {
			for range 9 {
				err = c.work(ctx, time.Millisecond)
			}
			after = append(after, steps.Load()-before)
			return err
		})
	}
	first := ts.ticket(1)
	first.enter(ctx)
	for range 8 {
		wg.Go(func() {
			k := ts.ticket(1)
			defer k.close()
			k.run(ctx, func(ctx context.Context) (err error) {
				for err == nil {
					n := steps.Add(1)
					if n%50 == 0 {
						k := ts.ticket(1)
						wg.Go(func() { short(k, n) })
						ts.hasQueued(k)
					}
					if n == 2000 {
						cancel()
					}
					err = c.work(ctx, 4*time.Millisecond)
				}
				return err
			})
		})
	}
	ts.waits(8) // what comes later comes before those that have worked, as short ones do
	first.close()
	wg.Wait()
	if len(after) < 30 {
		t.Fatalf("%d short questions were answered", len(after))
	}
	for _, n := range after {
		if n > 5 {
			t.Errorf("a short question waited for %d steps", n)
		}
	}
}

// TestTurnsLong has short questions come all the time: a long one is answered nevertheless.
func TestTurnsLong(t *testing.T) {
	ts, c := oneTurn()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := c.now()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				k := ts.ticket(1)
				k.run(ctx, func(ctx context.Context) error { return c.work(ctx, 8*time.Millisecond) })
				k.close()
			}
		})
	}
	k := ts.ticket(1)
	err := k.run(ctx, func(ctx context.Context) (err error) {
		for range 200 {
			err = c.work(ctx, 5*time.Millisecond)
		}
		return err
	})
	took := c.now().Sub(begin)
	cancel()
	wg.Wait()
	if err != nil || took > 20*time.Second {
		t.Errorf("a second of work took %s beside short questions: %v", took, err)
	}
}

// TestTurnsYield has work pause on the only processor: what waits for that runs first.
func TestTurnsYield(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	ts, c := oneTurn()
	k := ts.ticket(1)
	defer k.close()
	k.run(t.Context(), func(ctx context.Context) error {
		var ran atomic.Bool
		go ran.Store(true)
		for range 3 { // the scheduler now and then lets the same work go on
			if err := c.work(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		if !ran.Load() {
			t.Error("work kept the processor while it paused")
		}
		return nil
	})
}

// TestPlaces has work take long where there are two places: a third one waits without memory and is done
// again, and a fourth, which would come too late, is refused at once.
func TestPlaces(t *testing.T) {
	ts, c := oneTurn()
	ctx, cancel := context.WithDeadline(t.Context(), c.now().Add(10*time.Second))
	defer cancel()
	type work struct {
		*ticket
		goOn, ended chan struct{}
		attempts    int
		err         error
	}
	begin := func() *work {
		w := &work{ticket: ts.ticket(100), goOn: make(chan struct{}), ended: make(chan struct{})}
		go func() {
			defer close(w.ended)
			defer w.close()
			w.err = w.run(ctx, func(ctx context.Context) error {
				w.attempts++
				if err := c.work(ctx, 300*time.Millisecond); err != nil {
					return err
				}
				w.of.mu.Lock()
				w.of.end(w.ticket, c.now()) // it sleeps, with its memory
				w.of.giveAll()
				w.of.mu.Unlock()
				<-w.goOn
				return ctx.Err()
			})
		}()
		return w
	}
	state := func() (taken, waiting int, reserved int64) {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		return ts.long.taken, len(ts.long.waiting), ts.reserved
	}
	var works []*work
	for _, want := range []struct {
		taken, waiting int
		reserved       int64
	}{{1, 0, 100}, {2, 0, 200}, {2, 1, 200}} {
		works = append(works, begin())
		until(t, "it has taken long", func() bool { taken, waiting, _ := state(); return taken == want.taken && waiting == want.waiting })
		until(t, "it has its memory", func() bool { _, _, reserved := state(); return reserved == want.reserved })
	}
	w := begin()
	<-w.ended
	p := (*problem)(nil)
	if !errors.As(w.err, &p) || p.Status != http.StatusTooManyRequests || p.retry != 4 || !strings.Contains(p.Message, "ask again in 4 seconds") {
		t.Errorf("the fourth: %v", w.err)
	}
	for i, w := range works {
		close(w.goOn)
		<-w.ended
		if want := 1 + i/2; w.attempts != want || w.err != nil {
			t.Errorf("work %d was done %d times, want %d: %v", i, w.attempts, want, w.err)
		}
	}
	if taken, waiting, reserved := state(); taken+waiting != 0 || reserved != 0 {
		t.Errorf("there are %d places taken, %d wait, %d bytes are reserved", taken, waiting, reserved)
	}
}

// TestTurnsGone has clients go away that wait for a turn, or for a place: nothing of them stays.
func TestTurnsGone(t *testing.T) {
	ts, c := oneTurn()
	ts.long.taken = ts.long.limit // by others
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		k := ts.ticket(1)
		defer k.close()
		if err := k.run(ctx, func(ctx context.Context) error { return c.work(ctx, time.Second) }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	until(t, "one waits for a place", func() bool {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		return len(ts.long.waiting) == 1 && ts.held == 0
	})
	busy := ts.ticket(1)
	busy.enter(ctx)
	wg.Go(func() {
		k := ts.ticket(1)
		defer k.close()
		if err := k.run(ctx, func(context.Context) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	ts.waits(1)
	cancel()
	wg.Wait()
	busy.close()
	if ts.held+len(ts.waiting)+len(ts.long.waiting) != 0 || ts.reserved != 0 {
		t.Errorf("there is left: %+v", ts)
	}
}

// TestTurnsMemory has work find too little memory beside other work that ends just then: it is done again.
// What is alone from its start to its end is not.
func TestTurnsMemory(t *testing.T) {
	ts, _ := oneTurn()
	short := &fit.MemoryError{Run: 1}
	k, other := ts.ticket(1), ts.ticket(1)
	defer k.close()
	attempts := 0
	err := k.run(t.Context(), func(context.Context) error {
		attempts++
		if attempts == 1 {
			ts.reserve(other)
			other.close()
			return short
		}
		return nil
	})
	if err != nil || attempts != 2 {
		t.Errorf("beside other work: %v after %d attempts", err, attempts)
	}
	ts.reserve(other)
	attempts = 0
	err = k.run(t.Context(), func(context.Context) error {
		attempts++
		other.close()
		return short
	})
	if err != error(short) || attempts != 2 {
		t.Errorf("alone at the second attempt: %v after %d", err, attempts)
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
	triangle := `exists x, y, z. borders(x, y) & borders(y, z) & borders(z, x)`
	return map[string][2]string{
		"answers":  get("/v1/ask", "formula", spanish),
		"fit":      get("/v1/ask", "formula", spanish, "semantics", "fit"),
		"large":    {"/v1/ask", `{"formula": "borders(\"Chad\", y) & borders(\"Peru\", y)", "semantics": "nsmp", "settings": {"layers": 40}}`},
		"rows":     get("/v1/ask", "formula", "x, y: capital(x, y)", "status", "known"),
		"sentence": get("/v1/ask", "formula", triangle),
		"count":    get("/v1/ask", "formula", spanish, "count", "true"),
		"connect":  get("/v1/connect", "from", "France", "to", "Peru"),
		"why":      {"/v1/witness", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "entities": ["Madrid"]}`},
		"select":   get("/sparql", "query", "SELECT ?x ?y { ?x :borders ?y } LIMIT 10"),
		"sparql":   get("/sparql", "query", "SELECT ?y { :France :borders ?y }"),
	}
}

// TestBusy has questions of each kind come while there are enough that take long, and counts any work as
// such: each is refused at once, and told when to come again.
func TestBusy(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{Running: 1, Deadline: patience}})
	s.turns.long.after = 0
	s.turns.long.taken, s.turns.long.typical = s.turns.long.limit, patience
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
