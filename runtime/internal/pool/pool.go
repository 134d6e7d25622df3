// Package pool is the worker pool of this module: goroutines that share their
// callers' work, whatever that is.
package pool

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
)

// Job is work that several goroutines share: each call of Work takes pieces of it
// until there are none left.
type Job interface{ Work() }

// Task is the state of one job at a time. It is the caller's, so that running a job
// allocates nothing.
type Task struct {
	job   Job
	joint sync.WaitGroup
	fault atomic.Pointer[PanicError]
}

// Pool is a set of workers, which start at the first job. It does not wait for
// workers that are busy with another job: the caller works too, alone if no worker
// is idle, so that jobs may be nested. A nil Pool has no workers. It is safe for
// concurrent use.
//
// A pool that is never closed stops its workers when it is garbage-collected.
type Pool struct {
	size  int // workers, the caller included
	start sync.Once
	tasks chan *Task
	stop  func()
}

// New returns a pool in which up to size goroutines share a job, including the
// caller's; 0 means one for each processor.
func New(size int) *Pool {
	if size < 1 {
		size = goruntime.GOMAXPROCS(0)
	}
	return &Pool{size: size}
}

// Size returns how many goroutines may work on a job at a time.
func (p *Pool) Size() int {
	if p == nil {
		return 1
	}
	return p.size
}

// launch starts the workers. They hold the channels alone: the pool can be collected.
func (p *Pool) launch() {
	tasks, quit := make(chan *Task), make(chan struct{})
	p.tasks, p.stop = tasks, sync.OnceFunc(func() { close(quit) })
	goruntime.AddCleanup(p, func(stop func()) { stop() }, p.stop)
	for range p.size - 1 {
		go func() {
			for {
				select {
				case t := <-tasks:
					t.help()
				case <-quit:
					return
				}
			}
		}()
	}
}

// help works on the task for its owner.
func (t *Task) help() {
	defer t.joint.Done()
	t.work()
}

// work works on the task until nothing is left, and notes the first panic.
func (t *Task) work() {
	defer func() {
		if v := recover(); v != nil {
			t.fault.CompareAndSwap(nil, Recovered(v))
		}
	}()
	t.job.Work()
}

// Run works on the job, with as many workers as are idle, until it is done. t is for
// one job at a time. If any of them panics, Run panics with a *PanicError once all
// have stopped.
func (p *Pool) Run(j Job, t *Task) {
	t.job = j
	t.fault.Store(nil)
	p.share(t)
	t.job = nil
	goruntime.KeepAlive(p) // the workers end with it
	if fault := t.fault.Load(); fault != nil {
		panic(fault)
	}
}

// share has idle workers join the task, works on it and waits for them.
func (p *Pool) share(t *Task) {
	defer t.joint.Wait()
	if p.Size() > 1 {
		p.start.Do(p.launch)
		for range p.size - 1 {
			t.joint.Add(1)
			select {
			case p.tasks <- t:
				continue
			default:
			}
			t.joint.Done()
			break
		}
	}
	t.work()
}

// Close stops the workers. Later jobs are done by their callers alone.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.start.Do(func() { p.stop = func() {} }) // none ever start
	p.stop()
}
