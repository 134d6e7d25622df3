package pool

import (
	"errors"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long tests wait for an event: the machine may be slow and busy.
const patience = 5 * time.Minute

// goroutines waits until there are at most some number of goroutines.
func goroutines(t *testing.T, most int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if goruntime.NumGoroutine() <= most {
			return
		}
		goruntime.GC()
	}
	t.Errorf("%d goroutines, want %d at most", goruntime.NumGoroutine(), most)
}

// ready runs jobs until all workers of a pool have joined one, which waits for them.
func ready(t *testing.T, p *Pool) {
	t.Helper()
	for wait := time.Millisecond; wait < patience; wait *= 2 {
		var joined atomic.Int64
		full := make(chan struct{})
		together(p, func(int) {
			if joined.Add(1) == int64(p.Size()) {
				close(full)
			}
			select {
			case <-full:
			case <-time.After(wait):
			}
		})
		if joined.Load() == int64(p.Size()) {
			return
		}
	}
	t.Fatalf("never did %d goroutines share a job", p.Size())
}

// together calls do once in each goroutine that joins a job in time.
func together(p *Pool, do func(worker int)) {
	joined := make([]bool, p.Size())
	p.Each(p.Size(), func(worker, _ int) {
		if !joined[worker] {
			joined[worker] = true
			do(worker)
		}
	})
}

// TestEach checks that every index is taken once, by goroutines with numbers below Size, which may be
// many.
func TestEach(t *testing.T) {
	for _, size := range []int{1, 2, 40} {
		p := New(size)
		for _, n := range []int{0, 1, 2, 1000} {
			taken := make([]atomic.Int64, n)
			p.Each(n, func(worker, i int) {
				if worker < 0 || worker >= size {
					t.Errorf("worker %d of %d", worker, size)
				}
				taken[i].Add(1)
			})
			for i := range taken {
				if taken[i].Load() != 1 {
					t.Fatalf("size %d: index %d of %d was taken %d times", size, i, n, taken[i].Load())
				}
			}
		}
		ready(t, p)
		p.Close()
	}
	var none *Pool
	sum := 0
	none.Each(10, func(_, i int) { sum += i })
	if none.Close(); sum != 45 || none.Size() != 1 {
		t.Errorf("a nil pool sums to %d, its size is %d", sum, none.Size())
	}
}

// TestPanic has the caller, a worker and all of them panic: the caller gets the panic
// with its stack when nobody works any more, and the pool goes on.
func TestPanic(t *testing.T) {
	p := New(4)
	defer p.Close()
	caught := func(do func()) (err error) {
		defer Catch(&err)
		do()
		return nil
	}
	for name, faulty := range map[string]func(worker int) bool{
		"one":     func(worker int) bool { return worker == 0 },
		"another": func(worker int) bool { return worker == 3 },
		"all":     func(int) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			var working atomic.Int64
			var err error
			for wait := time.Millisecond; err == nil && wait < patience; wait *= 2 { // until all workers join a job
				full := make(chan struct{})
				err = caught(func() {
					together(p, func(worker int) {
						working.Add(1)
						defer working.Add(-1)
						if worker == 3 {
							close(full)
						}
						select {
						case <-full:
						case <-time.After(wait):
							return
						}
						if faulty(worker) {
							explode()
						}
					})
				})
			}
			var fault *PanicError
			if !errors.As(err, &fault) || fault.Value != "boom" || !strings.Contains(string(fault.Stack), "pool.explode") {
				t.Errorf("error is %v", err)
			}
			if working.Load() != 0 {
				t.Errorf("%d still work", working.Load())
			}
		})
	}
	if err := caught(func() { p.Each(100, func(_, i int) { p.Each(10, func(int, int) { explode() }) }) }); err == nil || err.Error() != "internal error: panic: boom" {
		t.Errorf("from within another job: %v", err)
	}
	if err := caught(func() { p.Each(100, func(int, int) {}) }); err != nil {
		t.Error(err)
	}
}

func explode() { panic("boom") }

// TestClose checks that workers end with the pool, that it may be closed while it works
// and before it has, and that jobs that come later are done.
func TestClose(t *testing.T) {
	before := goruntime.NumGoroutine()
	for range 20 {
		p := New(4)
		var wg sync.WaitGroup
		var done atomic.Int64
		for range 4 {
			wg.Go(func() { p.Each(50, func(int, int) { done.Add(1) }) })
		}
		wg.Go(p.Close)
		wg.Wait()
		p.Close()
		p.Each(50, func(int, int) { done.Add(1) })
		if done.Load() != 250 {
			t.Fatalf("%d calls, want 250", done.Load())
		}
	}
	goroutines(t, before)
}

// TestCleanup checks that pools that are never closed stop their workers.
func TestCleanup(t *testing.T) {
	before := goruntime.NumGoroutine()
	func() {
		var pools []*Pool
		for range 50 {
			p := New(4)
			p.Each(8, func(int, int) {})
			pools = append(pools, p)
		}
		if n := goruntime.NumGoroutine(); n < 150 { // some of those before may have ended
			t.Errorf("%d goroutines for 50 pools of three workers", n)
		}
		goruntime.KeepAlive(pools)
	}()
	goroutines(t, before)
}

// TestEnter checks that jobs have fewer workers while callers keep processors busy, none
// where there are as many callers as processors, and all of them afterwards.
func TestEnter(t *testing.T) {
	p := New(3)
	defer p.Close()
	ready(t, p)
	most := func() int64 {
		var most int64
		for range 200 {
			var joined atomic.Int64
			together(p, func(int) {
				joined.Add(1)
				time.Sleep(100 * time.Microsecond)
			})
			most = max(most, joined.Load())
		}
		return most
	}
	for callers := 1; callers <= 4; callers++ {
		p.Enter()
		if got, want := most(), int64(max(1, 4-callers)); got > want {
			t.Errorf("beside %d callers %d goroutines share a job, want %d at most", callers, got, want)
		}
	}
	for range 4 {
		p.Leave()
	}
	ready(t, p)
	var none *Pool
	none.Enter()
	none.Leave()
}

// TestEnterWith checks which callers work alone: those that want no workers, those beside others on all processors, and
// those after workers that came too late.
func TestEnterWith(t *testing.T) {
	p := New(2)
	defer p.Close()
	enters := func(helpers int) bool {
		defer p.Leave()
		return p.EnterWith(helpers) != nil
	}
	if enters(0) || !enters(1) || !enters(5) {
		t.Error("a caller works alone, or in vain with others")
	}
	p.Enter()
	if enters(1) {
		t.Error("two callers on two processors share them with a worker")
	}
	p.Leave()

	wide := New(8)
	defer wide.Close()
	defer wide.Leave()
	if got := wide.EnterWith(2).helpers(); got != 2 || wide.helpers() != 7 {
		t.Errorf("two helpers of seven are %d of %d", got, wide.helpers())
	}

	for range 2 * mostTrust { // no worker joins a job that has ended
		p.judge((&task{}).end())
	}
	for range alone {
		if enters(1) {
			t.Fatal("a caller awaits workers that came too late")
		}
	}
	if !enters(1) {
		t.Error("callers work alone forever")
	}
	joined := &task{}
	joined.workers.Store(2) // the caller and a worker, which has left again
	p.judge(joined.end())
	if p.trust.Load() <= 0 {
		t.Error("a worker that joined in time is not trusted again")
	}
}

// TestShares checks that goroutines take other indices first, and those that others leave.
func TestShares(t *testing.T) {
	x := &task{n: 10}
	taken := make([]int, 0, x.n)
	x.do = func(_, i int) { taken = append(taken, i) }
	x.split(3)
	x.workers.Store(1) // one has joined
	x.work()
	if want := []int{3, 4, 5, 6, 7, 8, 9, 0, 1, 2}; !slices.Equal(taken, want) {
		t.Errorf("got %v, want %v", taken, want)
	}
	x.split(2)
	x.work()
	if len(taken) != 2*x.n {
		t.Errorf("%d indices were taken, want %d", len(taken)-x.n, x.n)
	}
}

// TestEachAllocs checks that running a job allocates nothing.
func TestEachAllocs(t *testing.T) {
	p := New(3)
	defer p.Close()
	do := func(int, int) {}
	if n := testing.AllocsPerRun(100, func() { p.Each(9, do) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
