package host

import (
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/pause"
)

// scheduler bounds the work for requests of every kind: its memory, and the number of long jobs at a time. Go's
// scheduler shares the processors among running jobs, as work yields between its steps.
type scheduler struct {
	bytes     int64
	memory    *semaphore.Weighted // most of these
	reserve   *semaphore.Weighted // the others, for work that needs little while other work waits for memory
	limit     int
	places    *semaphore.Weighted // for work that has run for longAfter
	longAfter time.Duration

	mu        sync.Mutex
	running   int
	waiting   int           // for memory
	long      int           // running or waiting long jobs
	longBytes int64         // of these
	typical   time.Duration // the usual time that a place is held
}

const (
	// maxStep bounds the time counted between two pauses. More is time without a processor, since Go's scheduler
	// preempts after that time.
	maxStep = 10 * time.Millisecond
	// maxTogether bounds the number of concurrent jobs: each counts as at least this fraction of the memory.
	maxTogether = 64
	// reserved is the fraction of the memory that is reserved, for work that needs at most a quarter of it.
	reserved = 4
)

func newScheduler(l limits.Limits) *scheduler {
	return &scheduler{
		bytes: l.Memory, memory: semaphore.NewWeighted(l.Memory - l.Memory/reserved), reserve: semaphore.NewWeighted(l.Memory / reserved),
		limit: l.Long, places: semaphore.NewWeighted(int64(l.Long)),
		longAfter: l.LongAfter, typical: min(l.Deadline/4, 2*time.Second),
	}
}

// most returns the memory limit of a job. All long jobs together have the same limit, so that other jobs need not
// wait for their end.
func (s *scheduler) most() int64 { return s.bytes / 2 }

// run runs work once memory is available. Long work waits for one of the places. If it would wait too long, it is
// cancelled, and the error says when to retry.
func (s *scheduler) run(ctx context.Context, bytes int64, work func(context.Context) error) error {
	bytes = max(bytes, s.bytes/maxTogether)
	s.count(&s.waiting, 1)
	memory, err := s.acquire(ctx, bytes)
	s.count(&s.waiting, -1)
	if err != nil {
		return err
	}
	defer memory.Release(bytes)

	s.count(&s.running, 1)
	defer s.count(&s.running, -1)
	j := &scheduled{of: s, bytes: bytes, resumed: time.Now()}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	defer j.end()
	err = work(pause.With(j.ctx, j.pause))
	_, fault := errors.AsType[*runtime.PanicError](err)
	if why, refused := errors.AsType[*problem.Problem](context.Cause(j.ctx)); refused && !fault {
		return why
	}
	return err
}

// acquire waits for memory, and returns the semaphore to release.
func (s *scheduler) acquire(ctx context.Context, bytes int64) (*semaphore.Weighted, error) {
	if bytes > s.bytes/reserved/4 {
		return s.memory, s.memory.Acquire(ctx, bytes)
	}
	if s.memory.TryAcquire(bytes) { // which fails if other work waits
		return s.memory, nil
	}
	return s.reserve, s.reserve.Acquire(ctx, bytes)
}

func (s *scheduler) count(of *int, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*of += n
}

// scheduled is a running job, on one goroutine or several.
type scheduled struct {
	of     *scheduler
	ctx    context.Context
	cancel context.CancelCauseFunc
	bytes  int64

	mu      sync.Mutex
	ran     time.Duration
	resumed time.Time // after the last pause

	once   sync.Once
	long   bool      // it holds a place or waits for one
	placed time.Time // zero without a place
}

// pause yields, and makes a job that has become long wait for a place.
func (j *scheduled) pause() {
	j.mu.Lock()
	j.ran += min(time.Since(j.resumed), maxStep)
	long := j.ran >= j.of.longAfter
	j.mu.Unlock()

	goruntime.Gosched()
	if long {
		j.once.Do(j.takePlace)
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	j.resumed = time.Now()
}

func (j *scheduled) takePlace() {
	if err := j.of.enter(j); err != nil {
		j.cancel(err)
		return
	}
	if j.of.places.Acquire(j.ctx, 1) == nil {
		j.placed = time.Now()
	}
}

// end releases everything except the memory.
func (j *scheduled) end() {
	j.cancel(nil)
	j.once.Do(func() {}) // waits for a goroutine that acquires the place
	if j.long {
		j.of.leave(j)
	}
}

// enter lets a job run as a long one, or queues it. It refuses a job that would start too late, or that would leave too
// little memory for short jobs.
func (s *scheduler) enter(j *scheduled) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := max(0, s.long+1-s.limit)
	wait := s.typical * time.Duration(before) / time.Duration(s.limit)
	deadline, limited := j.ctx.Deadline()
	late := limited && before > 0 && wait+s.typical > time.Until(deadline)
	full := s.long > 0 && s.longBytes+j.bytes > s.most()
	if late || full {
		return problem.Overloaded(int(math.Ceil(wait.Seconds())), "the server works on %d questions already that take long, as this one does", s.long)
	}
	j.long = true
	s.long++
	s.longBytes += j.bytes
	return nil
}

// leave is the inverse of enter, and releases the place.
func (s *scheduler) leave(j *scheduled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.long--
	s.longBytes -= j.bytes
	if !j.placed.IsZero() {
		s.places.Release(1)
		s.typical += (time.Since(j.placed) - s.typical) / 4
	}
}

// state returns the number of jobs running, and the number waiting for memory.
func (s *scheduler) state() (running, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running, s.waiting
}
