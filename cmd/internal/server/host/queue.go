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

// queue runs the jobs on a model. Concurrent jobs form a group, which shares sweeps of the entity table.
type queue struct {
	group *runtime.Group

	apart *semaphore.Weighted // a semaphore of one, for retries

	mu      sync.Mutex
	running int
	begun   int // jobs so far
}

// Job is the work for a question.
type Job struct {
	of    *Prepared
	work  func(ctx context.Context) error // stateless between calls, as it may be retried
	bytes int64                           // of memory
	Large bool                            // it would delay a group, or has nothing to share
	Asked time.Time

	// The outcome.
	Batch int // jobs running when it began, itself included
	began time.Time
	Took  time.Duration
}

// MaxShared bounds the messages of a question in a group, where others wait for each message. The benchmarks' shapes
// send at most 48.
const MaxShared = 128

// NewJob returns a job for a question, nil for none, that needs the given memory.
func NewJob(p *Prepared, bytes int64, work func(ctx context.Context) error) *Job {
	return &Job{of: p, work: work, bytes: bytes, Asked: time.Now()}
}

// Do runs a job and waits for it, or for the loss of a shard. After an error its work may continue for a while.
func (s *Host) Do(ctx context.Context, h *Model, j *Job) error {
	if err := s.lostShard(h); err != nil {
		return err
	}
	done := make(chan error, 1)
	h.hold()
	if j.of != nil {
		j.of.hold()
	}
	go func() {
		defer h.release()
		if j.of != nil {
			defer j.of.Release()
		}
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
			return cmp.Or(s.lostShard(h), s.late(ctx, done))
		case <-look:
			if err := s.lostShard(h); err != nil {
				return err
			}
		}
	}
}

// late returns the error of an ended context. At the deadline, work has a moment to return its partial result.
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

// lostShard returns an error if the model is split and a shard has died, or is too late for a waiting question to
// meet its deadline.
func (s *Host) lostShard(h *Model) error {
	return h.model.Lost(max(time.Second, s.Limits.Deadline/2))
}

// run runs a job, in the group if others run. If a question panics or runs out of memory, others may be the cause:
// run retries it alone, one retry at a time.
func (s *Host) run(ctx context.Context, h *Model, j *Job) error {
	q := &h.queue
	j.began = time.Now()
	nth := 0
	j.Batch, nth = q.begin()
	defer func() {
		q.end()
		j.Took = time.Since(j.began)
	}()
	s.Metrics.BatchSize.Update(float64(j.Batch))

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

// failed reports whether other questions may have caused an error.
func failed(err error) bool {
	_, fault := errors.AsType[*runtime.PanicError](err)
	_, memory := errors.AsType[*fit.MemoryError](err)
	return fault || memory
}

// begin counts a job, and returns the numbers of jobs running and begun.
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

// latest returns the number of jobs begun.
func (q *queue) latest() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.begun
}

// caught runs the work, and converts a panic to an error.
func (j *Job) caught(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = problem.Recovered(fault)
		}
	}()
	return j.work(ctx)
}

// memoryError says whether a question that ran out of memory is too large by itself, or ran beside others.
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

// Ready returns an error if the device is lost, or if a shard of a split model has died or is late.
func (s *Host) Ready() error {
	if s.Device != nil {
		if err := s.Device.Lost(); err != nil {
			return err
		}
	}
	h, err := s.acquire()
	if err != nil {
		return nil
	}
	defer h.release()
	return s.lostShard(h)
}
