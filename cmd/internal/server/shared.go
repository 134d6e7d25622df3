package server

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// shared answers the queries of all plans by one model. A query that comes while nothing waits runs alone,
// which is the fastest for itself. Waiting queries then run together as a group that further ones join at
// once: each leaves when it is answered. They share the passes over the entity table, across plans and
// semantics. One that takes long leaves and goes on in turns of its own.
type shared struct {
	group *runtime.Group

	mu      sync.Mutex
	waiting []*job
	failed  []*job    // for want of memory in the group: they are answered alone after it
	drivers int       // goroutines that drive it
	members int       // queries of the group
	free    room      // for more of them, while there are any
	since   time.Time // when the group began
	over    chan struct{}
}

// maxShared bounds the messages of a query that shares passes with others, which wait for
// each that it makes. Those of the benchmarks' shapes send 48 at most.
const maxShared = 128

// groupSlice is the time after which a group takes on no more queries if other batches wait to
// run.
const groupSlice = 200 * time.Millisecond

// share has a query answered by the group of its model, or alone.
func (s *Server) share(h *openModel, j *job) {
	sh := &h.shared
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.waiting = append(sh.waiting, j)
	if sh.members > 0 {
		s.grow(h)
		return
	}
	if sh.drivers < s.Limits.Running {
		sh.drivers++
		h.hold()
		go func() {
			defer h.release()
			s.driveShared(h)
		}()
	}
}

// driveShared runs what waits until there is nothing, or a group that takes it on.
func (s *Server) driveShared(h *openModel) {
	sh := &h.shared
	for {
		turn := s.start()
		// Requests that have come already are read first, to wait here with the others: under load
		// each would be read only when the one before is answered, alone, and never join a group.
		goruntime.Gosched()
		alone, over := s.next(h)
		switch {
		case alone != nil:
			turn.handOver(alone.ticket)
			s.runAlone(h, alone)
		case over != nil:
			<-over
		}
		turn.close()
		if sh.park() {
			return
		}
	}
}

// next returns a job that shall run alone, or starts a group and returns a channel that is closed at its
// end, or neither if there is nothing to do.
func (s *Server) next(h *openModel) (alone *job, over chan struct{}) {
	sh := &h.shared
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.members > 0 {
		return nil, nil
	}
	sh.drop()
	switch {
	case len(sh.failed) > 0:
		alone = sh.failed[0]
		sh.failed = sh.failed[1:]
		return alone, nil
	case len(sh.waiting) == 0:
		return nil, nil
	case len(sh.waiting) == 1:
		alone = sh.waiting[0]
		sh.waiting = nil
		return alone, nil
	}
	sh.free, sh.since, sh.over = s.room(), time.Now(), make(chan struct{})
	s.grow(h)
	return nil, sh.over
}

// drop forgets the jobs that nobody waits for.
func (sh *shared) drop() {
	sh.waiting = slices.DeleteFunc(sh.waiting, func(j *job) bool { return j.ctx.Err() != nil })
}

// park ends a driver, unless there is something for it to do.
func (sh *shared) park() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.members == 0 && len(sh.waiting)+len(sh.failed) > 0 {
		return false
	}
	sh.drivers--
	return true
}

// grow has the group take on what waits, first come first served, as far as there is room,
// unless others wait for its end. The caller holds the lock.
func (s *Server) grow(h *openModel) {
	sh := &h.shared
	if _, others := s.turns.state(); len(sh.failed) > 0 || others > 0 && time.Since(sh.since) > groupSlice {
		return
	}
	sh.drop()
	n := 0
	for n < len(sh.waiting) && sh.free.take(sh.waiting[n]) {
		n++
	}
	if n == 0 {
		return
	}
	sh.members += n
	sh.group.Enter(n)
	s.metrics.batchSize.Observe(float64(sh.members))
	for _, j := range sh.waiting[:n] {
		h.hold()
		go s.member(h, j, sh.members)
	}
	sh.waiting = append([]*job(nil), sh.waiting[n:]...)
}

// member answers a job in the group, which had some size when it entered.
func (s *Server) member(h *openModel, j *job, size int) {
	defer h.release()
	sh := &h.shared
	start := time.Now()
	leave := sync.OnceFunc(func() { s.leaveGroup(h, j) })
	err := j.ticket.attempt(j.ctx, func(ctx context.Context) (err error) {
		j.answers, err = sh.group.Answer(ctx, j.question, j.options)
		return err
	}, j.ticket.after(leave))
	_, fault := errors.AsType[*runtime.PanicError](err)
	_, memory := errors.AsType[*fit.MemoryError](err)
	switch {
	case memory:
		sh.mu.Lock()
		sh.failed = append(sh.failed, j)
		sh.mu.Unlock()
		leave()
	case fault || err == errNoPlace: // the fault may be another's
		leave()
		j.alone()
	default:
		j.err = err
		j.finish(size, start)
		leave()
	}
}

// leaveGroup lets others into the group in place of a job.
func (s *Server) leaveGroup(h *openModel, j *job) {
	sh := &h.shared
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.members--
	sh.free.queries++
	sh.free.bytes += j.ticket.bytes
	s.grow(h)
	if sh.members == 0 {
		close(sh.over)
	}
}

// afterGroup is how long a job that has left the driver of its group goes on in the group's turn: what
// most have left to do takes less.
const afterGroup = 20 * time.Millisecond

// after returns what a job in a group pauses by: nothing at first, and then, once it has left the group,
// as others do.
func (k *ticket) after(leave func()) func() {
	first := sync.OnceValue(k.of.now)
	return func() {
		now := k.of.now()
		if now.Sub(first()) < afterGroup {
			k.yield(now)
			return
		}
		k.of.reserve(k)
		leave()
		k.pause()
	}
}
