package server

import (
	"cmp"
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/pause"
)

// queue has the jobs on a model. A job that begins while others run joins them in a group, which shares sweeps of the
// entity table.
type queue struct {
	group *runtime.Group

	apart *semaphore.Weighted // of one, for jobs that are done again

	mu      sync.Mutex
	running int
	begun   int // jobs so far
}

// job is work on a question.
type job struct {
	work  func(ctx context.Context) error // keeps no state from one call to the next, as it may be done again
	bytes int64                           // of memory that it needs
	large bool                            // it would hold a group up, or has nothing to share
	asked time.Time

	// What came of it.
	batch int // jobs that ran when it began, itself included
	began time.Time
	took  time.Duration
}

// maxShared bounds the messages of a question that runs with others, which wait for
// each that it sends. Those of the benchmarks' shapes send 48 at most.
const maxShared = 128

// newJob returns a job that needs some memory.
func (s *Server) newJob(bytes int64, work func(ctx context.Context) error) *job {
	return &job{work: work, bytes: bytes, asked: time.Now()}
}

// do waits until a job is done, unless a shard of the model is lost. After an error its work may go on for a while.
func (s *Server) do(ctx context.Context, h *openModel, j *job) error {
	if err := s.lostShard(h); err != nil {
		return err
	}
	done := make(chan error, 1)
	h.hold()
	go func() {
		defer h.release()
		done <- s.scheduler.run(ctx, j.bytes, func(ctx context.Context) error { return s.run(ctx, h, j) })
	}()

	var look <-chan time.Time
	if h.model.Split() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		look = t.C
	}
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return cmp.Or(s.lostShard(h), s.late(ctx, done))
		case <-look:
			if err := s.lostShard(h); err != nil {
				return err
			}
		}
	}
}

// late returns the error of a context that has ended. At the deadline, work has a moment to hand over what it has found.
func (s *Server) late(ctx context.Context, done <-chan error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-time.After(s.Limits.Deadline - s.Limits.work()):
		return ctx.Err()
	}
}

// lostShard returns an error if the model is split and a shard is gone, or so late that the question
// which waits for it will hardly be answered within its deadline.
func (s *Server) lostShard(h *openModel) error {
	return h.model.Lost(max(time.Second, s.Limits.Deadline/2))
}

// run does a job, in the group if others run. If a question panics or runs out of memory, this may be the fault of others:
// it is asked again by itself, one after the other.
func (s *Server) run(ctx context.Context, h *openModel, j *job) error {
	q := &h.queue
	j.began = time.Now()
	nth := 0
	j.batch, nth = q.begin()
	defer func() {
		q.end()
		j.took = time.Since(j.began)
	}()
	s.metrics.batchSize.Observe(float64(j.batch))

	var err error
	if j.large || j.batch == 1 {
		err = j.caught(ctx)
	} else {
		q.group.Enter(1)
		err = q.group.Do(ctx, j.caught)
	}
	alone := j.batch == 1 && q.latest() == nth
	if failed(err) && !alone {
		if err := q.apart.Acquire(ctx, 1); err != nil {
			return err
		}
		defer q.apart.Release(1)
		err = j.caught(pause.With(ctx, goruntime.Gosched)) // it needs no place: those who have one may wait for its end
	}
	return s.memoryError(err, alone)
}

// failed reports whether others may be the cause of an error.
func failed(err error) bool {
	_, fault := errors.AsType[*runtime.PanicError](err)
	_, memory := errors.AsType[*fit.MemoryError](err)
	return fault || memory
}

// begin counts a job, and returns how many run and how many have begun.
func (q *queue) begin() (running, begun int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++
	q.begun++
	return q.running, q.begun
}

func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
}

// latest returns how many jobs have begun.
func (q *queue) latest() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.begun
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

// memoryError says whether a question that was given up for its memory is too large by itself, or ran beside others.
func (s *Server) memoryError(err error, alone bool) error {
	memory, is := errors.AsType[*fit.MemoryError](err)
	switch {
	case !is:
		return err
	case alone:
		return tooCostly("this query needs more than %d bytes to be answered: use fewer variables in cycles or fewer negated atoms, "+
			"or have the server started with a higher --max memory, which all queries that run share", memory.Budget)
	}
	return overloaded(1, "this query takes %d bytes, and with the others that run %d, over the limit of --max memory, %d", memory.Run, memory.All, memory.Budget)
}
