package pool

import "sync/atomic"

// each is the job of Each.
type each struct {
	n             int
	do            func(worker, i int)
	next, workers atomic.Int64
}

// Work takes indices until none are left.
func (e *each) Work() {
	worker := int(e.workers.Add(1)) - 1
	for i := int(e.next.Add(1)) - 1; i < e.n; i = int(e.next.Add(1)) - 1 {
		e.do(worker, i)
	}
}

// Each calls do for the indices below n, from several goroutines at a time, each of
// which has a number below Size. Calls must not write to the same place. A panic is
// propagated as by Run; indices not yet taken by then may be skipped.
func (p *Pool) Each(n int, do func(worker, i int)) {
	if n < 2 || p.Size() == 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	p.Run(&each{n: n, do: do}, &Task{})
}
