package drive

import (
	"context"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Run is a query that a Driver runs, as a coroutine.
type Run struct {
	driver *Driver
	ctx    context.Context
	body   func(q *Run) error
	err    error // of the body
	done   chan struct{}
	// unwatch stops waking the driver when the context ends.
	unwatch func() bool

	// The coroutine: next resumes it, and it calls yield.
	next  func() (struct{}, bool)
	yield func(struct{}) bool

	// Waiting for at most one of these.
	request   Request
	exchanges []*collective.Exchange

	resumed time.Time     // the last time
	busy    time.Duration // earlier work, with its share of serving requests

	served bool             // the request
	fault  *pool.PanicError // of serving it, or of the exchanges
	left   bool
	ended  bool
}

// coroutine runs the body. A panic is the query's error: recovered here, it keeps its stack.
func (q *Run) coroutine(yield func(struct{}) bool) {
	defer pool.Catch(&q.err)
	q.yield = yield
	q.err = q.body(q)
}

// resume runs the query until it waits, leaves or ends.
func (q *Run) resume() {
	q.resumed = time.Now()
	q.ended = true // also if the body calls runtime.Goexit
	_, more := q.next()
	q.ended = !more
	q.busy += time.Since(q.resumed)
}

// Long is the amount of work after which a question leaves its group: several times a benchmark question's on a graph
// of the usual size.
const Long = 50 * time.Millisecond

// took returns the work of a running query.
func (q *Run) took() time.Duration { return q.busy + time.Since(q.resumed) }

// Busy returns the work of an ended query until it left, including earlier work for its question.
func (q *Run) Busy() time.Duration { return q.busy }

// finish runs a query that has left to its end.
func (q *Run) finish() {
	defer q.end()
	q.next()
}

// end wakes the query's waiters.
func (q *Run) end() {
	q.unwatch()
	close(q.done)
}

// wait lets others run until the query is resumed.
func (q *Run) wait() {
	q.yield(struct{}{})
	if fault := q.fault; fault != nil {
		q.fault = nil
		panic(fault)
	}
}

// waits reports whether the query is blocked.
func (q *Run) waits() bool { return q.request != nil || q.exchanges != nil }

// ask waits for a request to be served, and reports whether it was.
func (q *Run) ask(r Request) bool {
	q.request = r
	q.served = false
	q.wait()
	return q.served
}

// Exchange makes exchanges with other ranks, together with the exchanges of the other queries.
func (q *Run) Exchange(list []*collective.Exchange) {
	q.exchanges = list
	q.wait()
}

// leave moves the rest of the body to its own goroutine.
func (q *Run) leave() {
	q.left = true
	q.wait()
}

// Wait waits until the query has ended and returns the error of its body.
func (q *Run) Wait() error {
	<-q.done
	return q.err
}
