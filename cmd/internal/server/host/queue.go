package host

import (
	"cmp"
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/cmd/internal/server/problem"
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

// Job is work on a question.
type Job struct {
	work  func(ctx context.Context) error // keeps no state from one call to the next, as it may be done again
	bytes int64                           // of memory that it needs
	Large bool                            // it would hold a group up, or has nothing to share
	Asked time.Time

	// What came of it.
	Batch int // jobs that ran when it began, itself included
	began time.Time
	Took  time.Duration
}

// MaxShared bounds the messages of a question that runs with others, which wait for
// each that it sends. Those of the benchmarks' shapes send 48 at most.
const MaxShared = 128

// NewJob returns a job that needs some memory.
func NewJob(bytes int64, work func(ctx context.Context) error) *Job {
	return &Job{work: work, bytes: bytes, Asked: time.Now()}
}

// Do waits until a job is done, unless a shard of the model is lost. After an error its work may go on for a while.
func (s *Host) Do(ctx context.Context, h *Model, j *Job) error {
	if err := s.LostShard(h); err != nil {
		return err
	}
	done := make(chan error, 1)
	h.hold()
	go func() {
		defer h.release()
		done <- s.Run(ctx, j.bytes, func(ctx context.Context) error { return s.run(ctx, h, j) })
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
			return cmp.Or(s.LostShard(h), s.late(ctx, done))
		case <-look:
			if err := s.LostShard(h); err != nil {
				return err
			}
		}
	}
}

// late returns the error of a context that has ended. At the deadline, work has a moment to hand over what it has found.
func (s *Host) late(ctx context.Context, done <-chan error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-time.After(s.Limits.Deadline - s.Limits.Work()):
		return ctx.Err()
	}
}

// LostShard returns an error if the model is split and a shard is gone, or so late that the question
// which waits for it will hardly be answered within its deadline.
func (s *Host) LostShard(h *Model) error {
	return h.model.Lost(max(time.Second, s.Limits.Deadline/2))
}

// run does a job, in the group if others run. If a question panics or runs out of memory, this may be the fault of others:
// it is asked again by itself, one after the other.
func (s *Host) run(ctx context.Context, h *Model, j *Job) error {
	q := &h.queue
	j.began = time.Now()
	nth := 0
	j.Batch, nth = q.begin()
	defer func() {
		q.end()
		j.Took = time.Since(j.began)
	}()
	s.Metrics.BatchSize.Observe(float64(j.Batch))

	var err error
	if j.Large || j.Batch == 1 {
		err = j.caught(ctx)
	} else {
		q.group.Enter(1)
		err = q.group.Do(ctx, j.caught)
	}
	alone := j.Batch == 1 && q.latest() == nth
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
func (j *Job) caught(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = problem.Recovered(fault)
		}
	}()
	return j.work(ctx)
}

// memoryError says whether a question that was given up for its memory is too large by itself, or ran beside others.
func (s *Host) memoryError(err error, alone bool) error {
	memory, is := errors.AsType[*fit.MemoryError](err)
	switch {
	case !is:
		return err
	case alone:
		return problem.TooCostly("this query needs more than %d bytes to be answered: use fewer variables in cycles or fewer negated atoms, "+
			"or have the server started with a higher --max memory, which all queries that run share", memory.Budget)
	}
	return problem.Overloaded(1, "this query takes %d bytes, and with the others that run %d, over the limit of --max memory, %d", memory.Run, memory.All, memory.Budget)
}

// Ready returns an error if questions cannot be answered for now: the device is lost, or a shard.
func (s *Host) Ready() error {
	if s.Device != nil {
		if err := s.Device.Lost(); err != nil {
			return err
		}
	}
	return s.Lost()
}

// Lost returns an error if the model is split and a shard is gone, or late.
func (s *Host) Lost() error {
	h, err := s.acquire()
	if err != nil {
		return nil
	}
	defer h.release()
	return s.LostShard(h)
}
