package server

import (
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// shared answers the queries of all plans by one model. A query that comes while nothing waits
// runs alone, which is the fastest for itself. Those that have to wait run together after that,
// as a group that further ones join at once: each leaves when it is answered. They share the
// passes over the entity table, whatever their plans and semantics.
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
		s.grow(sh)
		return
	}
	if sh.drivers < cap(s.running) {
		sh.drivers++
		h.hold()
		go func() {
			defer h.release()
			s.driveShared(sh)
		}()
	}
}

// driveShared runs what waits until there is nothing, or a group that takes it on.
func (s *Server) driveShared(sh *shared) {
	for {
		s.start()
		// Requests that have come already are read first, to wait here with the others: under load
		// each would be read only when the one before is answered, alone, and never join a group.
		goruntime.Gosched()
		alone, over := s.next(sh)
		switch {
		case alone != nil:
			s.metrics.batchSize.Observe(1)
			alone.runSingle()
		case over != nil:
			<-over
		}
		<-s.running
		if alone == nil && over == nil && sh.park() {
			return
		}
	}
}

// next returns a job that shall run alone, or starts a group and returns what is closed at
// its end, or neither if there is nothing to do.
func (s *Server) next(sh *shared) (alone *job, over chan struct{}) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.members > 0 {
		return nil, nil
	}
	sh.drop()
	switch {
	case len(sh.failed) > 0:
		alone, sh.failed = sh.failed[0], sh.failed[1:]
		return alone, nil
	case len(sh.waiting) == 0:
		return nil, nil
	case len(sh.waiting) == 1:
		alone, sh.waiting = sh.waiting[0], nil
		return alone, nil
	}
	sh.free, sh.since, sh.over = s.room(), time.Now(), make(chan struct{})
	s.grow(sh)
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
func (s *Server) grow(sh *shared) {
	if len(sh.failed) > 0 || s.turns.Load() > 0 && time.Since(sh.since) > groupSlice {
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
		go s.member(sh, j, sh.members)
	}
	sh.waiting = append([]*job(nil), sh.waiting[n:]...)
}

// member answers a job in the group, which had some size when it entered.
func (s *Server) member(sh *shared, j *job, size int) {
	start := time.Now()
	var fault *runtime.PanicError
	var memory *fit.MemoryError
	j.answers, j.err = sh.group.Answer(j.ctx, j.question, j.options)
	again := errors.As(j.err, &memory)
	switch {
	case again:
	case errors.As(j.err, &fault):
		j.runSingle() // for it may be another's
	default:
		j.finish(size, start)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if again {
		sh.failed = append(sh.failed, j)
	}
	sh.members--
	sh.free.queries++
	sh.free.bytes += j.bytes
	if s.grow(sh); sh.members == 0 {
		close(sh.over)
	}
}
