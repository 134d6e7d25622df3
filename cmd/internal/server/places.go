package server

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"
)

// places bound the work that takes long. It may pause with all its memory, so there are few places, and
// what has none is cancelled: it waits without memory and is then done again, or is refused at once if
// it would come too late.
type places struct {
	limit   int
	after   time.Duration // the service after which work has taken long
	taken   int
	bytes   int64         // of the work that has them
	waiting []*ticket     // in the order in which they came
	typical time.Duration // service of work that takes long
}

// longAfter is the standard places.after.
const longAfter = 250 * time.Millisecond

// errNoPlace cancels work that waits for a place.
var errNoPlace = errors.New("it waits for a place")

// mayGoOn reports whether work may go on. Work that has taken long takes a place, or is cancelled.
func (t *turns) mayGoOn(k *ticket, now time.Time) bool {
	switch {
	case k.stopped != nil:
		return false
	case k.long || k.spent(now) < t.long.after:
		return true
	}
	k.stopped = t.refusal(k.ctx, len(t.long.waiting), now)
	if k.stopped == nil && !t.takePlace(k) {
		k.stopped = errNoPlace
	}
	if k.stopped == nil {
		return true
	}
	k.cancel()
	return false
}

// takePlace takes a place, if there is one and memory for it beside work that takes less long.
func (t *turns) takePlace(k *ticket) bool {
	p := &t.long
	if p.taken == p.limit || p.taken > 0 && p.bytes+k.bytes > t.room {
		return false
	}
	p.taken++
	p.bytes += k.bytes
	k.long = true
	return true
}

// refusal returns an error if work with some number of others before it in the queue would come too late,
// if all takes as long as is typical. Work that others leave a turn to is never refused.
func (t *turns) refusal(ctx context.Context, before int, now time.Time) error {
	others := t.long.taken + before
	deadline, bounded := ctx.Deadline()
	if others < t.limit || !bounded {
		return nil
	}
	takes := t.long.typical * time.Duration(others+1) / time.Duration(t.limit)
	if takes < deadline.Sub(now)*4/5 { // other work takes some of the time
		return nil
	}
	return t.busy()
}

// busy refuses work, and says when others will have ended.
func (t *turns) busy() error {
	p := &t.long
	ends := p.typical * time.Duration(1+len(p.waiting)) / time.Duration(t.limit)
	return overloaded(int(math.Ceil(ends.Seconds())), "the server works on %d questions already that take long, as this one does", p.taken+len(p.waiting))
}

// late returns the error of a context that has ended while work waited.
func (t *turns) late(ctx context.Context) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy()
}

// ended returns the error of the work's context, which has ended. Work that has begun and waits is told that others
// are in its way.
func (k *ticket) ended(ctx context.Context) error {
	t := k.of
	t.mu.Lock()
	waits := k.served > 0 && !k.holds
	t.mu.Unlock()
	if !waits {
		return ctx.Err()
	}
	return t.late(ctx)
}

// waitForPlace waits until the ticket has a place.
func (k *ticket) waitForPlace(ctx context.Context) error {
	t := k.of
	t.mu.Lock()
	if k.long || t.takePlace(k) {
		t.mu.Unlock()
		return nil
	}
	k.placed = make(chan struct{})
	t.long.waiting = append(t.long.waiting, k)
	t.mu.Unlock()
	select {
	case <-k.placed:
		return k.refused
	case <-ctx.Done():
		return t.late(ctx)
	}
}

// leavePlace gives up the place of a ticket, or its wait for one, and hands places on.
func (t *turns) leavePlace(k *ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.long
	p.waiting = slices.DeleteFunc(p.waiting, func(w *ticket) bool { return w == k })
	if k.long {
		k.long = false
		p.taken--
		p.bytes -= k.bytes
		p.learn(k)
	}
	for len(p.waiting) > 0 && t.takePlace(p.waiting[0]) {
		close(p.waiting[0].placed)
		p.waiting = p.waiting[1:]
	}
	t.refuseLate()
}

// learn takes account of how long work took that ends. Work that has reached its deadline would have
// taken longer.
func (p *places) learn(k *ticket) {
	if k.late {
		p.typical = max(p.typical, k.served*3/2)
		return
	}
	p.typical += (k.served - p.typical) / 4
}

// refuseLate refuses the work in the queue that would come too late.
func (t *turns) refuseLate() {
	p := &t.long
	now := t.now()
	kept := p.waiting[:0]
	for _, k := range p.waiting {
		k.refused = t.refusal(k.ctx, len(kept), now)
		if k.refused != nil {
			close(k.placed)
		} else {
			kept = append(kept, k)
		}
	}
	clear(p.waiting[len(kept):])
	p.waiting = kept
}
