// Package pool is the worker pool of this module: goroutines that help their callers with any work.
package pool

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// task is a sequence of jobs: calls for indices, which several goroutines share.
type task struct {
	n             int
	do            func(worker, i int)
	next, workers atomic.Int64

	mu    sync.Mutex
	open  bool           // the caller is still working: others may join
	count uint64         // of jobs so far
	joint sync.WaitGroup // workers that have joined
	fault atomic.Pointer[PanicError]
}

// tasks pools idle tasks, so that running one allocates nothing.
var tasks = sync.Pool{New: func() any { return &task{} }}

// invitation asks a worker to join a job of a task.
type invitation struct {
	task *task
	job  uint64 // the job of the task to join
}

// Pool is a set of workers, which start at the first job. It does not wait for workers that are busy with another
// job: the caller works too, alone if no worker is idle, so jobs may be nested. A nil Pool has no workers. It is safe
// for concurrent use.
//
// A pool that is never closed stops its workers when it is garbage-collected.
type Pool struct {
	size  int          // workers, the caller included
	busy  atomic.Int32 // callers that have entered and not left
	start sync.Once
	tasks chan invitation
	stop  func()
}

// New returns a pool in which up to size goroutines share a job, including the caller's; 0 means one per processor.
func New(size int) *Pool {
	if size < 1 {
		size = goruntime.GOMAXPROCS(0)
	}
	return &Pool{size: size}
}

// Size returns the number of goroutines that may share a job.
func (p *Pool) Size() int {
	if p == nil {
		return 1
	}
	return p.size
}

// Enter announces a caller that keeps one processor busy, even between its jobs, until it calls Leave. Jobs leave the
// processors of such callers to them: two callers on two processors work alone, and neither waits for a worker that
// the other has displaced.
func (p *Pool) Enter() {
	if p != nil {
		p.busy.Add(1)
	}
}

// Leave ends Enter.
func (p *Pool) Leave() {
	if p != nil {
		p.busy.Add(-1)
	}
}

// launch starts the workers. They hold only the channels, so the pool can be collected.
func (p *Pool) launch() {
	tasks := make(chan invitation)
	quit := make(chan struct{})
	p.tasks, p.stop = tasks, sync.OnceFunc(func() { close(quit) })
	goruntime.AddCleanup(p, func(stop func()) { stop() }, p.stop)
	for range p.size - 1 {
		go func() {
			for {
				select {
				case i := <-tasks:
					i.task.help(i.job)
				case <-quit:
					return
				}
			}
		}()
	}
}

// help works on a job of the task, unless that has ended: an invited worker may first wait for a processor.
func (t *task) help(job uint64) {
	t.mu.Lock()
	joins := t.open && t.count == job
	if joins {
		t.joint.Add(1)
	}
	t.mu.Unlock()
	if joins {
		defer t.joint.Done()
		t.work()
	}
}

// work takes indices until none are left, and records the first panic.
func (t *task) work() {
	defer func() {
		if v := recover(); v != nil {
			t.fault.CompareAndSwap(nil, Recovered(v))
		}
	}()
	worker := int(t.workers.Add(1)) - 1
	for i := int(t.next.Add(1)) - 1; i < t.n; i = int(t.next.Add(1)) - 1 {
		t.do(worker, i)
	}
}

// Each calls do for the indices below n, on the caller's goroutine and on idle workers. Each goroutine has a number
// below Size. Concurrent calls must not write to the same memory. If one panics, Each panics with a *PanicError once
// all have stopped; indices not yet taken by then may be skipped.
func (p *Pool) Each(n int, do func(worker, i int)) {
	if n < 2 || p.Size() == 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	t := tasks.Get().(*task)
	t.mu.Lock()
	t.n = n
	t.do = do
	t.open = true
	t.count++
	t.mu.Unlock()
	t.next.Store(0)
	t.workers.Store(0)
	p.share(t)
	goruntime.KeepAlive(p) // collecting the pool ends its workers
	if fault := t.fault.Load(); fault != nil {
		panic(fault)
	}
	t.do = nil
	tasks.Put(t)
}

// helpers returns the number of workers that a job may have besides its caller.
func (p *Pool) helpers() int {
	return min(p.size-1, p.size-int(p.busy.Load()))
}

// share invites idle workers to a job, works on it and waits for those that joined.
func (p *Pool) share(t *task) {
	defer t.end()
	if most := p.helpers(); most > 0 {
		p.start.Do(p.launch)
	invite:
		for range most {
			select {
			case p.tasks <- invitation{t, t.count}:
			default:
				break invite
			}
		}
	}
	t.work()
}

// end waits for the workers that have joined.
func (t *task) end() {
	t.mu.Lock()
	t.open = false
	t.mu.Unlock()
	t.joint.Wait()
}

// Close stops the workers. Callers do later jobs alone.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.start.Do(func() { p.stop = func() {} }) // none ever start
	p.stop()
}
