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

	// What it waits for, at most one of both.
	request   Request
	exchanges []*collective.Exchange

	resumed time.Time     // when it was resumed last
	busy    time.Duration // before that, with its share of what served its requests

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

// Long is the work after which a question is too long for a group, several times what a
// question of the benchmarks takes in one of a graph of the usual size.
const Long = 50 * time.Millisecond

// took returns the work of a query that runs.
func (q *Run) took() time.Duration { return q.busy + time.Since(q.resumed) }

// Busy returns the work of a query that has ended, until it left, with what was done before for its question.
func (q *Run) Busy() time.Duration { return q.busy }

// finish runs a query that has left to its end.
func (q *Run) finish() {
	defer q.end()
	q.next()
}

// end lets those go on who wait for the query.
func (q *Run) end() {
	q.unwatch()
	close(q.done)
}

// wait lets others go on until the query is resumed.
func (q *Run) wait() {
	q.yield(struct{}{})
	if fault := q.fault; fault != nil {
		q.fault = nil
		panic(fault)
	}
}

// waits reports whether the query cannot go on.
func (q *Run) waits() bool { return q.request != nil || q.exchanges != nil }

// ask waits until a request is served, and reports whether it was.
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

// leave has the rest of the body run on a goroutine of its own.
func (q *Run) leave() {
	q.left = true
	q.wait()
}

// Wait waits until the query has ended and returns the error of its body.
func (q *Run) Wait() error {
	<-q.done
	return q.err
}
