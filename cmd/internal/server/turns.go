package server

import (
	"context"
	"errors"
	"math/bits"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/pause"
)

// turns lets the work on questions of every kind run by turns: as many at a time as there are turns.
// Work pauses between its steps, and gives its turn up there to work that has been served less, so a
// short question waits for few steps of long ones. Levels of service double, and work of one level is
// served in the order in which it came, so work of equal length ends one after the other.
//
// Work starts only if memory for it remains beside all started work. Work that takes long needs one of a
// few places: see places.go.
type turns struct {
	limit  int   // turns
	memory int64 // of all started work
	room   int64 // of work at most
	now    func() time.Time

	mu       sync.Mutex
	held     int
	reserved int64
	waiting  []*ticket // in the order in which they came
	starved  time.Time // when one had starved that got a turn
	started  int
	starts   int           // how often work has started
	left     chan struct{} // closed when work leaves that had started, and made anew
	retrying chan struct{} // a semaphore of one, for work that had too little memory beside other work
	long     places
}

const (
	// firstLevel is the service after which work gives way to new work.
	firstLevel = time.Millisecond
	// lastLevel begins after 512 ms: longer work is done one after the other, so that some of it is
	// answered in time.
	lastLevel = 10
	// starving is how long work waits before it gets a turn of starvingTurn however much it has been served,
	// if no other has had one for betweenStarving.
	starving        = 200 * time.Millisecond
	starvingTurn    = 20 * time.Millisecond
	betweenStarving = 100 * time.Millisecond
	// betweenLooks is the time in which work neither yields nor looks whether it is to pause.
	betweenLooks = 500 * time.Microsecond
)

// newTurns returns the turns of a server.
func newTurns(l Limits) *turns {
	return &turns{
		limit: l.Running, memory: l.Memory, room: l.Memory / int64(l.Running+1), now: time.Now,
		left: make(chan struct{}), retrying: make(chan struct{}, 1),
		long: places{limit: 2 * l.Running, after: longAfter, typical: min(l.Deadline/4, 2*time.Second)},
	}
}

// ticket is some work's right to turns. Several goroutines may do the work.
type ticket struct {
	of    *turns
	bytes int64 // that the work needs

	look atomic.Int64 // when to look again, in nanoseconds

	// What follows is guarded by turns.mu.
	started bool // its memory is reserved
	alone   bool // nothing else had started when that was
	nth     int  // turns.starts then
	holds   bool
	served  time.Duration   // before the turn that it holds
	since   time.Time       // when that began
	until   time.Time       // nobody takes it before
	queued  time.Time       // when it began to wait
	ready   chan struct{}   // closed with the turn that it waits for; nil if it waits for none
	long    bool            // it has a place
	late    bool            // its work has reached the deadline
	placed  chan struct{}   // closed when it stops waiting for a place
	refused error           // why it gets none
	ctx     context.Context // of the work, while that runs
	cancel  func()
	stopped error // why the work was cancelled
}

// ticket returns one for work that needs some memory. Close it.
func (t *turns) ticket(bytes int64) *ticket { return &ticket{of: t, bytes: bytes} }

// run does the work. What finds too little memory beside other work is done again when some of that has
// ended, one after the other.
func (k *ticket) run(ctx context.Context, work func(context.Context) error) error {
	t := k.of
	ended, err := k.runOnce(ctx, work)
	if _, memory := errors.AsType[*fit.MemoryError](err); !memory || ended == nil {
		return err
	}
	select {
	case t.retrying <- struct{}{}:
		defer func() { <-t.retrying }()
	case <-ctx.Done():
		return t.late(ctx)
	}
	for {
		ended, err = k.runOnce(ctx, work)
		if _, memory := errors.AsType[*fit.MemoryError](err); !memory || ended == nil {
			return err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return t.late(ctx)
		}
	}
}

// runOnce is run without doing the work again for its memory. It returns a channel that is closed once
// work has ended that took memory meanwhile, nil if there was none.
func (k *ticket) runOnce(ctx context.Context, work func(context.Context) error) (ended <-chan struct{}, err error) {
	err = k.inPlace(ctx, work)
	t := k.of
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.started > 0:
		return t.left, err
	case k.alone && k.nth == t.starts:
		return nil, err
	}
	over := make(chan struct{})
	close(over)
	return over, err
}

// inPlace does the work. Work that takes long while others do so as well is done again once there is a
// place for it, or refused.
func (k *ticket) inPlace(ctx context.Context, work func(context.Context) error) error {
	for {
		if k.stopped != nil {
			if err := k.waitForPlace(ctx); err != nil {
				return err
			}
		}
		if err := k.enter(ctx); err != nil {
			return err
		}
		if err := k.attempt(ctx, work, k.pause); err != errNoPlace {
			return err
		}
	}
}

// attempt does the work once, and ends its turn. Its error says why the work was stopped, if it was:
// what came of it then is not whole.
func (k *ticket) attempt(ctx context.Context, work func(context.Context) error, wait func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.begin(ctx, cancel)
	defer k.leave()
	err := work(pause.With(ctx, wait))
	k.late = errors.Is(ctx.Err(), context.DeadlineExceeded)
	_, fault := errors.AsType[*runtime.PanicError](err)
	if k.stopped != nil && !fault {
		return k.stopped
	}
	return err
}

// begin notes what stops the work.
func (k *ticket) begin(ctx context.Context, cancel func()) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.ctx = ctx
	k.cancel = cancel
	k.stopped = nil
}

// enter waits for a turn, unless the ticket has one.
func (k *ticket) enter(ctx context.Context) error {
	k.of.mu.Lock()
	ready := k.wait()
	k.of.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		err := k.ended(ctx)
		k.leave()
		return err
	}
}

// pause gives the turn up if others shall have it, and waits for the next one, unless the work is
// cancelled meanwhile.
func (k *ticket) pause() {
	now := k.of.now()
	if !k.yield(now) {
		return
	}
	ready, done := k.giveWay(now)
	select {
	case <-ready:
	case <-done:
	}
}

// yield lets other goroutines run, and returns true, unless it did so a short while ago. Otherwise requests
// that have come would be read only after 10 to 20 ms, when the scheduler interrupts work.
func (k *ticket) yield(now time.Time) bool {
	if now.UnixNano() < k.look.Load() {
		return false
	}
	k.look.Store(now.Add(betweenLooks).UnixNano())
	goruntime.Gosched()
	return true
}

// giveWay gives the turn up if others shall have it. It returns a channel that is closed once the ticket
// has a turn, and one that is closed once its work is cancelled.
func (k *ticket) giveWay(now time.Time) (ready, done <-chan struct{}) {
	t := k.of
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.holds && t.mayGoOn(k, now) {
		if next := t.before(k, now); next != nil {
			t.end(k, now)
			t.give(next, now)
		}
	}
	return k.wait(), k.ctx.Done()
}

// handOver gives the turn to another ticket.
func (k *ticket) handOver(to *ticket) {
	t := k.of
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.release(k)
	t.end(k, now)
	t.give(to, now)
}

// leave gives up the turn, or the wait for one, and the memory.
func (k *ticket) leave() {
	t := k.of
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.holds {
		t.end(k, t.now())
	}
	if k.ready != nil {
		t.waiting = slices.DeleteFunc(t.waiting, func(w *ticket) bool { return w == k })
		k.ready = nil
	}
	t.release(k)
	t.giveAll()
}

// close gives up everything.
func (k *ticket) close() {
	k.leave()
	k.of.leavePlace(k)
}

// wait has the ticket wait for a turn, and returns a channel that is closed once it has one.
func (k *ticket) wait() <-chan struct{} {
	t := k.of
	ready := k.ready
	switch {
	case k.holds:
		ready = make(chan struct{})
		close(ready)
	case ready == nil:
		ready = make(chan struct{})
		k.ready, k.queued = ready, t.now()
		t.waiting = append(t.waiting, k)
		t.giveAll()
	}
	return ready
}

// giveAll gives away the turns that nobody has.
func (t *turns) giveAll() {
	now := t.now()
	for t.held < t.limit {
		next := t.next(now, true)
		if next == nil {
			return
		}
		t.give(next, now)
	}
}

// next returns the ticket whose turn is next, nil if none waits that there is memory for. One that starves
// comes first if it may.
func (t *turns) next(now time.Time, mayStarve bool) (next *ticket) {
	full := false // what has started comes first, as one that has waited for too long needs its memory
	for _, k := range t.waiting {
		starves := mayStarve && t.starves(k, now)
		switch {
		case !k.started && (full || t.reserved+k.bytes > t.memory):
			full = full || starves
		case starves:
			return k
		case next == nil || k.level(now) < next.level(now):
			next = k
		}
	}
	return next
}

// before returns the ticket that shall have the turn of another one, nil if there is none. Of work that
// takes long none starves for another's sake.
func (t *turns) before(k *ticket, now time.Time) *ticket {
	next := t.next(now, !k.long)
	switch {
	case next == nil || now.Before(k.until):
		return nil
	case next.level(now) < k.level(now) || !k.long && t.starves(next, now):
		return next
	}
	return nil
}

// starves reports whether a ticket has waited long enough to get a turn however much it has been served.
func (t *turns) starves(k *ticket, now time.Time) bool {
	return now.Sub(k.queued) > starving && now.Sub(t.starved) > betweenStarving
}

// give gives a ticket a turn.
func (t *turns) give(k *ticket, now time.Time) {
	t.held++
	t.start(k)
	k.holds, k.since, k.until = true, now, time.Time{}
	if k.ready == nil {
		return
	}
	if t.starves(k, now) {
		k.until = now.Add(starvingTurn)
		t.starved = now
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(w *ticket) bool { return w == k })
	close(k.ready)
	k.ready = nil
}

// end ends the turn of a ticket.
func (t *turns) end(k *ticket, now time.Time) {
	k.served = k.spent(now)
	k.holds = false
	t.held--
}

// start reserves the memory of a ticket.
func (t *turns) start(k *ticket) {
	if !k.started {
		t.starts++
		k.started, k.alone, k.nth = true, t.started == 0, t.starts
		t.started++
		t.reserved += k.bytes
	}
}

// reserve is start for work that has its memory already.
func (t *turns) reserve(k *ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.start(k)
}

// release is the opposite of start.
func (t *turns) release(k *ticket) {
	if k.started {
		k.started = false
		t.started--
		t.reserved -= k.bytes
		close(t.left)
		t.left = make(chan struct{})
	}
}

// spent returns what a ticket has been served.
func (k *ticket) spent(now time.Time) time.Duration {
	if k.holds {
		return k.served + now.Sub(k.since)
	}
	return k.served
}

// level orders tickets: 0 for those that have been served least.
func (k *ticket) level(now time.Time) int {
	return min(lastLevel, bits.Len64(uint64(k.spent(now)/firstLevel)))
}

// state returns how many turns are held and how many tickets wait for one.
func (t *turns) state() (held, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held, len(t.waiting)
}
