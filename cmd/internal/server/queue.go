package server

import (
	"cmp"
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// queue does the work on questions of all kinds by one model. A job that comes while nothing waits runs alone,
// which is the fastest for itself. Waiting jobs then run together as a group that further ones join at
// once: each leaves when it is done. They share what their plans read. One that takes long leaves and goes on
// in turns of its own.
type queue struct {
	group *runtime.Group

	mu      sync.Mutex
	waiting []*job
	failed  []*job // for want of memory in the group: they are done alone after it
	drivers int    // goroutines that drive it
	members int    // jobs of the group
	free    room   // for more of them, while there are any
	passed  bool   // some have joined the group before an earlier one that needs more memory
	since   time.Time
	over    chan struct{}
}

// job is work on a question.
type job struct {
	ctx    context.Context
	work   func(ctx context.Context) error // may be done again, if it could not be finished
	ticket *ticket                         // with the memory that it needs
	large  bool                            // it would hold a group up
	asked  time.Time

	// What came of it, once done is closed.
	done  chan struct{}
	err   error
	batch int // jobs of the group when it began, itself included
	began time.Time
	took  time.Duration
}

// maxShared bounds the messages of a question that runs with others, which wait for
// each that it sends. Those of the benchmarks' shapes send 48 at most.
const maxShared = 128

// groupSlice is the time after which a group takes on no more jobs if others wait for its end.
const groupSlice = 200 * time.Millisecond

// room is what further jobs may run together with others.
type room struct {
	jobs  int
	bytes int64
}

// take makes room for a job, or returns false if there is none.
func (r *room) take(j *job) bool {
	if r.jobs < 1 || r.bytes < j.ticket.bytes {
		return false
	}
	r.jobs--
	r.bytes -= j.ticket.bytes
	return true
}

// newJob returns a job that needs some memory.
func (s *Server) newJob(bytes int64, work func(ctx context.Context) error) *job {
	return &job{work: work, ticket: s.turns.ticket(bytes), asked: time.Now(), done: make(chan struct{})}
}

// do waits until a job is done, unless a shard of the model is lost. After an error its work may go on for a while.
func (s *Server) do(ctx context.Context, h *openModel, j *job) error {
	if err := s.lostShard(h); err != nil {
		return err
	}
	j.ctx = ctx
	if j.large {
		s.runAlone(h, j)
	} else {
		s.enqueue(h, j)
	}
	var look <-chan time.Time
	if h.model.Split() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		look = t.C
	}
	for {
		select {
		case <-j.done:
			return j.err
		case <-ctx.Done():
			return cmp.Or(s.lostShard(h), j.ticket.ended(ctx))
		case <-look:
			if err := s.lostShard(h); err != nil {
				return err
			}
		}
	}
}

// lostShard returns an error if the model is split and a shard is gone, or so late that the question
// which waits for it will hardly be answered within its deadline.
func (s *Server) lostShard(h *openModel) error {
	return h.model.Lost(max(time.Second, s.Limits.Deadline/2))
}

// enqueue has a job done by the group of its model, or alone.
func (s *Server) enqueue(h *openModel, j *job) {
	q := &h.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, j)
	if q.members > 0 {
		s.grow(h)
		return
	}
	if q.drivers < s.Limits.Running {
		q.drivers++
		h.hold()
		go func() {
			defer h.release()
			s.drive(h)
		}()
	}
}

// drive has done what waits until there is nothing, or a group that takes it on.
func (s *Server) drive(h *openModel) {
	q := &h.queue
	for {
		turn := s.turns.ticket(s.turns.room)
		turn.enter(context.Background()) // which does not end
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
		if q.park() {
			return
		}
	}
}

// next returns a job that shall run alone, or starts a group and returns a channel that is closed at its
// end, or neither if there is nothing to do.
func (s *Server) next(h *openModel) (alone *job, over chan struct{}) {
	q := &h.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.members > 0 {
		return nil, nil
	}
	q.drop()
	switch {
	case len(q.failed) > 0:
		alone = q.failed[0]
		q.failed = q.failed[1:]
		return alone, nil
	case len(q.waiting) == 0:
		return nil, nil
	case len(q.waiting) == 1:
		alone = q.waiting[0]
		q.waiting = nil
		return alone, nil
	}
	q.free = s.room()
	q.passed = false
	q.since = time.Now()
	q.over = make(chan struct{})
	s.grow(h)
	return nil, q.over
}

// drop forgets the jobs that nobody waits for.
func (q *queue) drop() {
	q.waiting = slices.DeleteFunc(q.waiting, func(j *job) bool { return j.ctx.Err() != nil })
}

// park ends a driver, unless there is something for it to do.
func (q *queue) park() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.members == 0 && len(q.waiting)+len(q.failed) > 0 {
		return false
	}
	q.drivers--
	return true
}

// grow has the group take on what waits, as far as there is room, unless others wait for its end. First come is
// first served, but one that needs much memory holds nobody up. The caller holds the lock.
func (s *Server) grow(h *openModel) {
	q := &h.queue
	_, others := s.turns.state()
	if len(q.failed) > 0 || (others > 0 || q.passed) && time.Since(q.since) > groupSlice {
		return
	}
	q.drop()
	var joining, rest []*job
	for _, j := range q.waiting {
		if !q.free.take(j) {
			rest = append(rest, j)
			continue
		}
		joining = append(joining, j)
		q.passed = q.passed || len(rest) > 0
	}
	q.waiting = rest
	if len(joining) == 0 {
		return
	}
	q.members += len(joining)
	q.group.Enter(len(joining))
	s.metrics.batchSize.Observe(float64(q.members))
	for _, j := range joining {
		h.hold()
		go s.member(h, j, q.members)
	}
}

// member does a job in the group, which had some size when it entered.
func (s *Server) member(h *openModel, j *job, size int) {
	defer h.release()
	q := &h.queue
	start := time.Now()
	leave := sync.OnceFunc(func() { s.leaveGroup(h, j) })
	left := false // and it goes on in turns of its own
	goOn := sync.OnceFunc(func() {
		left = true
		j.ticket.of.reserve(j.ticket)
		leave()
	})
	err := j.ticket.attempt(j.ctx, func(ctx context.Context) error { return q.group.Do(ctx, j.caught) }, func() {
		goOn()
		j.ticket.pause()
	})
	_, fault := errors.AsType[*runtime.PanicError](err)
	_, memory := errors.AsType[*fit.MemoryError](err)
	switch {
	case memory && !left:
		q.mu.Lock()
		q.failed = append(q.failed, j)
		q.mu.Unlock()
		leave()
	case memory || fault || err == errNoPlace: // the fault may be another's
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
	q := &h.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.members--
	q.free.jobs++
	q.free.bytes += j.ticket.bytes
	s.grow(h)
	if q.members == 0 {
		close(q.over)
	}
}

// runAlone does a job by itself.
func (s *Server) runAlone(h *openModel, j *job) {
	s.metrics.batchSize.Observe(1)
	h.hold()
	go func() {
		defer h.release()
		j.alone()
	}()
}

// alone does the job by itself, in turns.
func (j *job) alone() {
	start := time.Now()
	j.err = j.ticket.run(j.ctx, func(ctx context.Context) error {
		start = time.Now()
		return j.caught(ctx)
	})
	j.finish(1, start)
}

// caught does the work, and turns a panic into an error.
func (j *job) caught(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault)
		}
	}()
	return j.work(ctx)
}

// finish hands over what came of the job, which ran in a batch of some size from start to now.
func (j *job) finish(batch int, start time.Time) {
	j.ticket.close()
	j.batch = batch
	j.began = start
	j.took = time.Since(start)
	close(j.done)
}
