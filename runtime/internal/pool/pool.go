// Package pool is the worker pool of this module: goroutines that help their callers with any work.
package pool

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"
)

// task is a sequence of jobs: calls for indices, which several goroutines share.
type task struct {
	n       int
	do      func(worker, i int)
	workers atomic.Int64
	shares  []share // of the goroutines that may work

	mu     sync.Mutex
	count  uint64       // odd while the caller works on a job and others may join
	joined atomic.Int32 // workers that have joined and not left
	fault  atomic.Pointer[PanicError]
}

// share is the part of the indices that one goroutine takes first, from next on. The others take what it leaves.
type share struct {
	next atomic.Int64
	_    [56]byte // a cache line of its own
}

// tasks pools idle tasks, so that running one allocates nothing.
var tasks = sync.Pool{New: func() any { return &task{} }}

// invitation asks a worker to join a job of a task, or without a task to expect an invitation.
type invitation struct {
	task *task
	job  uint64 // the count of the job to join
}

// Pool is a set of workers, which start at the first job. It does not wait for workers that are busy with another
// job: the caller works too, alone if no worker is idle, so jobs may be nested. A nil Pool has no workers. It is safe
// for concurrent use.
//
// A pool that is never closed stops its workers when it is garbage-collected.
type Pool struct {
	*crew
	most  atomic.Int32 // helpers of a caller
	short *Pool        // with the same workers, fewer of them, for EnterWith
	start sync.Once
	stop  func()
}

// crew is the part of a pool that its workers refer to, so the pool can be collected.
type crew struct {
	size        int          // workers, the caller included
	busy        atomic.Int32 // callers that have entered and not left
	trust       atomic.Int32 // in workers, see judge
	awake       atomic.Int32 // workers that do not sleep
	invitations chan invitation
	wakes       chan invitation // to workers that sleep
	quit        chan struct{}
}

// queued is the number of invitations per worker that may wait until it polls.
const queued = 4

// New returns a pool in which up to size goroutines share a job, including the caller's; 0 means one per processor.
func New(size int) *Pool {
	if size < 1 {
		size = goruntime.GOMAXPROCS(0)
	}
	c := &crew{size: size, invitations: make(chan invitation, queued*size), wakes: make(chan invitation), quit: make(chan struct{})}
	c.trust.Store(mostTrust)
	p := &Pool{crew: c, short: &Pool{crew: c}}
	p.most.Store(int32(size) - 1)
	p.short.start.Do(func() {}) // p starts the workers
	return p
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

// EnterWith is Enter for a caller whose jobs are short, and wakes up to the given number of workers for them. It returns
// the pool for these jobs: nil, so that the caller works alone, if it wants no workers, if other callers keep all
// processors busy, and for a while after workers have come too late.
func (p *Pool) EnterWith(helpers int) *Pool {
	p.Enter()
	helpers = min(helpers, p.helpers())
	if helpers < 1 || p.distrusts() {
		return nil
	}
	p.short.most.Store(int32(helpers))
	p.invite(invitation{}, helpers)
	go func() {}() // displaces the worker woken last from this processor's next slot, which others take from only after a pause
	return p.short
}

// Leave ends Enter.
func (p *Pool) Leave() {
	if p != nil {
		p.busy.Add(-1)
	}
}

// launch starts the workers.
func (p *Pool) launch() {
	c := p.crew
	p.stop = sync.OnceFunc(func() { close(c.quit) })
	goruntime.AddCleanup(p, func(stop func()) { stop() }, p.stop)
	p.awake.Store(int32(p.size) - 1)
	for range p.size - 1 {
		go c.work()
	}
}

// work serves invitations.
func (c *crew) work() {
	for {
		i, ok := c.await()
		if !ok {
			return
		}
		if i.task != nil {
			i.task.help(i.job)
		}
	}
}

// linger is how long goroutines poll before they sleep. To wake a thread takes tens of microseconds, longer than many
// jobs and the time between two jobs of a question or between two questions of one caller.
const linger = 100 * time.Microsecond

// await waits for an invitation, and reports false if the pool is closed. It polls unless callers keep all processors
// busy.
func (c *crew) await() (i invitation, ok bool) {
	for start := time.Now(); c.idle() > 0 && time.Since(start) < linger; {
		if len(c.invitations) > 0 {
			break
		}
	}
	select {
	case i = <-c.invitations:
		return i, true
	default:
	}
	c.awake.Add(-1)
	select {
	case i = <-c.wakes:
		return i, true
	case <-c.quit:
		return i, false
	}
}

// idle returns the number of processors without a caller.
func (c *crew) idle() int { return c.size - int(c.busy.Load()) }

// help works on a job of the task, unless that has ended: an invited worker may first wait for a processor.
func (t *task) help(job uint64) {
	t.mu.Lock()
	joins := t.count == job
	if joins {
		t.joined.Add(1)
	}
	t.mu.Unlock()
	if joins {
		defer t.joined.Add(-1)
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
	for k := range t.shares {
		s := (worker + k) % len(t.shares)
		next := &t.shares[s].next
		end := t.from(s + 1)
		for i := next.Add(1) - 1; i < end; i = next.Add(1) - 1 {
			t.do(worker, int(i))
		}
	}
}

// Each calls do for the indices below n, on the caller's goroutine and on idle workers. Each goroutine has a number
// below Size. Concurrent calls must not write to the same memory. If one panics, Each panics with a *PanicError once
// all have stopped; indices not yet taken by then may be skipped.
func (p *Pool) Each(n int, do func(worker, i int)) {
	helpers := min(p.helpers(), n-1)
	if helpers < 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	t := tasks.Get().(*task)
	t.mu.Lock()
	t.n = n
	t.do = do
	t.count++
	t.mu.Unlock()
	t.split(1 + helpers)
	t.workers.Store(0)
	p.run(t)
	goruntime.KeepAlive(p) // collecting the pool ends its workers
	if fault := t.fault.Load(); fault != nil {
		panic(fault)
	}
	t.do = nil
	tasks.Put(t)
}

// split splits the indices into shares.
func (t *task) split(n int) {
	if cap(t.shares) < n {
		t.shares = make([]share, n)
	}
	t.shares = t.shares[:n]
	for i := range t.shares {
		t.shares[i].next.Store(t.from(i))
	}
}

// from returns the first index of a share.
func (t *task) from(share int) int64 { return int64(t.n * share / len(t.shares)) }

// helpers returns the number of workers that a caller may have.
func (p *Pool) helpers() int {
	if p == nil {
		return 0
	}
	return min(int(p.most.Load()), p.idle())
}

// invite invites up to most workers, first those that are awake.
func (p *Pool) invite(i invitation, most int) {
	p.start.Do(p.launch)
	awake := int(p.awake.Load())
	for range min(most, awake) {
		select {
		case p.invitations <- i:
		default:
		}
	}
	for range most - awake {
		select {
		case p.wakes <- i:
			p.awake.Add(1)
		default:
		}
	}
}

// run invites workers to a job, works on it and waits for those that joined.
func (p *Pool) run(t *task) {
	start := time.Now()
	defer func() {
		if inTime := t.end(); inTime || time.Since(start) < short {
			p.judge(inTime)
		}
	}()
	p.invite(invitation{t, t.count}, len(t.shares)-1)
	t.work()
}

// Workers that join a short job in time earn trust, up to mostTrust, and lose it otherwise: on processors that other
// programs keep busy, callers would wait for them. Without trust, the next callers work alone.
const (
	short     = time.Millisecond
	mostTrust = 64
	alone     = 64 // callers
)

// judge changes the trust in workers after a job.
func (p *Pool) judge(inTime bool) {
	switch trust := p.trust.Load(); {
	case inTime:
		p.trust.Store(min(trust+1, mostTrust))
	case trust > 0:
		p.trust.Store(trust - 1)
	default:
		p.trust.Store(-alone)
	}
}

// distrusts reports whether the next caller works alone.
func (p *Pool) distrusts() bool {
	trust := p.trust.Load()
	if trust < 0 {
		p.trust.Store(trust + 1)
	}
	return trust < 0
}

// end waits for the workers that have joined, and reports whether there are any and they end soon.
func (t *task) end() (inTime bool) {
	t.mu.Lock()
	t.count++
	t.mu.Unlock()
	inTime = t.workers.Load() > 1
	for start := time.Now(); t.joined.Load() > 0; {
		if time.Since(start) > linger {
			inTime = false
			time.Sleep(linger)
		}
	}
	return inTime
}

// Close stops the workers. Callers do later jobs alone.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.start.Do(func() { p.stop = func() {} }) // none ever start
	p.stop()
}
