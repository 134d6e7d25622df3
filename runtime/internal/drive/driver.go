package drive

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/pause"
)

// Request is work for a query that is cheaper for several queries together.
type Request interface {
	// Serve serves all, a list of requests that are alike, in the order in which their queries started. The receiver
	// is the first of them.
	Serve(all []Request)
	// Like reports whether the request of another query can be served together with this one.
	Like(o Request) bool
	// Kind returns the kind of the request: a round of one kind takes less time than a mixed one.
	Kind() Kind
}

// Kind is one of two kinds of requests.
type Kind int

// The kinds: Columns asks for a number for each entity, Sums also asks for sums of rows.
const (
	Columns Kind = iota
	Sums
)

// From minApart requests on, a round serves only one kind. The other kind waits for the next round, which most of the
// queries just served join, since their next request is of that kind: queries that alternate between columns and sums
// synchronise.
const minApart = 16

// Driver runs queries together. They may start while others run. It is safe for concurrent use.
type Driver struct {
	pool     *pool.Pool
	exchange func(list []*collective.Exchange)
	hold     pause.Func // suspends all queries between rounds; nil for none

	mu      sync.Mutex
	started []*Run // not yet admitted
	entered int    // announced, but not started
	active  int    // entered or started, and neither ended nor left
	running bool   // the loop runs
	news    chan struct{}

	// For the loop only: its queries, and the kind that it served last.
	queries []*Run
	last    Kind
}

// New returns a driver without queries, which resumes them on a pool. exchange makes exchanges with other ranks; it
// is nil for a whole model.
func New(p *pool.Pool, exchange func(list []*collective.Exchange)) *Driver {
	return &Driver{pool: p, exchange: exchange, news: make(chan struct{}, 1)}
}

// Run runs the given number of queries together and returns their errors once all have ended. A single query runs
// alone, with a nil q. A panic of a body becomes the error of its query. The pause function of ctx suspends all of
// them.
func (d *Driver) Run(ctx context.Context, queries int, body func(i int, q *Run) error) []error {
	errs := make([]error, queries)
	if queries == 1 {
		func() {
			defer pool.Catch(&errs[0])
			errs[0] = body(0, nil)
		}()
		return errs
	}
	d.hold = pause.Of(ctx)
	d.Enter(queries)
	list := make([]*Run, queries)
	for i := range list {
		list[i] = d.Start(ctx, 0, func(q *Run) error { return body(i, q) })
	}
	for i, q := range list {
		errs[i] = q.Wait()
	}
	return errs
}

// Enter announces calls of Start: the driver serves no request before them.
func (d *Driver) Enter(queries int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entered += queries
	d.active += queries
}

// Withdraw cancels the announcement of one call of Start.
func (d *Driver) Withdraw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entered--
	d.active--
	d.wake()
}

// Active returns the number of queries that have entered and neither ended nor left.
func (d *Driver) Active() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.active
}

// Start starts a query announced by Enter. If its context ends, its pending requests are not served. A panic of the
// body becomes the error of the query; if serving its request panics, the body panics with that *pool.PanicError.
// busy is the earlier work for the same question. Call Wait.
func (d *Driver) Start(ctx context.Context, busy time.Duration, body func(q *Run) error) *Run {
	q := &Run{driver: d, ctx: ctx, body: body, busy: busy, done: make(chan struct{})}
	q.unwatch = context.AfterFunc(ctx, d.wake)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entered--
	d.started = append(d.started, q)
	if !d.running {
		d.running = true
		go d.loop()
	}
	d.wake()
	return q
}

// wake makes a waiting loop check again.
func (d *Driver) wake() {
	select {
	case d.news <- struct{}{}:
	default: // already notified
	}
}

// loop drives queries while there are any, on its own goroutine: one locked to its thread could not share coroutines
// with others.
func (d *Driver) loop() {
	d.pool.Enter()
	over := false
	defer func() {
		d.pool.Leave()
		if !over { // a query has called runtime.Goexit: the others continue
			go d.loop()
		}
	}()
	for d.admit() {
		if d.hold != nil {
			d.pool.Leave()
			d.hold()
			d.pool.Enter()
		}
		d.resume()
		d.provide()
	}
	over = true
}

// admit removes queries that have ended or left, makes coroutines of those that have started, and reports whether
// there are any now.
func (d *Driver) admit() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queries = slices.DeleteFunc(d.queries, func(q *Run) bool {
		switch {
		case q.ended:
			q.end()
		case q.left:
			go q.finish()
		default:
			return false
		}
		d.active--
		return true
	})
	for _, q := range d.started {
		q.next, _ = iter.Pull(q.coroutine)
	}
	d.queries = append(d.queries, d.started...)
	clear(d.started)
	d.started = d.started[:0]
	d.running = len(d.queries) > 0
	return d.running
}

// resume resumes all queries that do not wait.
func (d *Driver) resume() {
	ready := d.matching(func(q *Run) bool { return !q.waits() })
	d.pool.Each(len(ready), func(_, i int) { ready[i].resume() })
}

// provide makes the exchanges or serves the requests that queries wait for, unless some query must be resumed first.
func (d *Driver) provide() {
	if !d.gathered() {
		return
	}
	if exchanging := d.matching(func(q *Run) bool { return q.exchanges != nil }); len(exchanging) > 0 {
		var list []*collective.Exchange
		for _, q := range exchanging {
			list = append(list, q.exchanges...)
		}
		d.attempt(exchanging, func() { d.exchange(list) })
		return
	}
	for round := d.round(); len(round) > 0; {
		first := round[0].request
		var alike, others []*Run
		var requests []Request
		for _, q := range round {
			if q == round[0] || first.Like(q.request) {
				alike = append(alike, q)
				requests = append(requests, q.request)
			} else {
				others = append(others, q)
			}
		}
		d.attempt(alike, func() { first.Serve(requests) })
		round = others
	}
}

// gathered waits for announced queries, and reports whether all have come and wait with the others. It reports false
// if one has started meanwhile, is cancelled, or has gone.
func (d *Driver) gathered() bool {
	for {
		all := true
		for _, q := range d.queries {
			if q.request != nil && q.ctx.Err() != nil {
				q.request = nil
			}
			all = all && q.waits()
		}
		d.mu.Lock()
		started := len(d.started)
		entered := d.entered
		d.mu.Unlock()
		if !all || started > 0 || entered == 0 {
			return all && started == 0
		}
		d.pool.Leave()
		<-d.news
		d.pool.Enter()
	}
}

// round returns the queries whose requests are served next.
func (d *Driver) round() []*Run {
	if len(d.queries) < minApart {
		return d.queries
	}
	of := func(k Kind) []*Run {
		return d.matching(func(q *Run) bool { return q.request.Kind() == k })
	}
	if other := of(1 - d.last); len(other) > 0 {
		d.last = 1 - d.last
		return other
	}
	return of(d.last)
}

// matching returns the wanted queries, in order.
func (d *Driver) matching(wanted func(q *Run) bool) (list []*Run) {
	for _, q := range d.queries {
		if wanted(q) {
			list = append(list, q)
		}
	}
	return list
}

// attempt calls do for the queries in list. If do panics, they do.
func (d *Driver) attempt(list []*Run, do func()) {
	defer func() {
		var fault *pool.PanicError
		if v := recover(); v != nil {
			fault = pool.Recovered(v)
		}
		for _, q := range list {
			q.request = nil
			q.exchanges = nil
			q.served = true
			q.fault = fault
		}
	}()
	start := time.Now()
	do()
	share := time.Since(start) / time.Duration(len(list))
	for _, q := range list {
		q.busy += share
	}
}
