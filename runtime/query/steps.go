package query

import (
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/drive"
)

// deferredOps are the ops of a plan on a part of a split model that are not done yet. An op may need
// numbers of other ranks, and an exchange takes about as long for few numbers as for one: so
// ops wait until something needs what they make, and then all that can be run are, up to
// where they exchange something. Those exchanges are made as one. With two messages m and n
// into a state,
//
//	softmax m, normalize m, softmax n, normalize n, normalize m·n     five exchanges
//	softmax m and n, normalize m and n, normalize m·n                 three
//
// Ops are run in the order of the plan as far as they read what others write, on whatever rank:
// the exchanges are the same on all of them.
type deferredOps struct {
	list    []*step // in the order of the plan
	current *step   // that runs now
	waiting []*collective.Exchange
	meet    func(list []*collective.Exchange) // makes exchanges
	ask     func(r drive.Request) bool        // has a request served
}

// step is an op that is not done.
type step struct {
	reads, writes []place
	// late says that it reads nothing behind its first exchange, and writes nothing before; scales
	// that it multiplies numbers where they are, all by the same.
	late    bool
	scales  bool
	started bool
	run     func()
	wants   *collective.Exchange // that it waits for
	made    bool                 // wants is made
	asks    drive.Request        // that it waits for
	served  bool                 // asks was
	// Of an op with exchanges, once it has started: a coroutine.
	resume func() (*collective.Exchange, bool)
	stop   func()
	yield  func(*collective.Exchange) bool
}

// stopped ends a step that nobody waits for any more.
type stopped struct{}

// add adds an op, which run does: it writes one buffer and reads others.
func (s *deferredOps) add(run func(), dst place, reads ...place) *step {
	x := &step{run: run, writes: []place{dst}, reads: reads}
	s.list = append(s.list, x)
	return x
}

// exchange makes an exchange: with those of other steps, if a step asks for it.
func (s *deferredOps) exchange(x *collective.Exchange) {
	switch {
	case s.current == nil:
		s.meet([]*collective.Exchange{x})
	case !s.current.yield(x):
		panic(stopped{})
	}
}

// ask has a request served, from within a step by the coroutine of the query.
func (w *Workspace) ask(r drive.Request) bool {
	x := w.deferred.current
	if x == nil || !w.Batched() {
		return w.Ask(r)
	}
	if x.asks = r; !x.yield(nil) {
		panic(stopped{})
	}
	return x.served
}

// ready runs steps until none is left that writes what is to be read or written, or reads what
// is to be written. What is read up to a factor may still be multiplied by one.
func (s *deferredOps) ready(reads, upToFactor, writes []place) {
	busy := func(x *step) bool {
		return meets(x.writes, reads) || !x.scales && meets(x.writes, upToFactor) || meets(x.writes, writes) || x.holds(writes)
	}
	for s.runAll(); slices.ContainsFunc(s.list, busy); s.runAll() {
		s.meetAll()
	}
}

// finish runs all steps.
func (s *deferredOps) finish() {
	for s.runAll(); len(s.list) > 0; s.runAll() {
		s.meetAll()
	}
}

// end forgets the steps that are left, after an error.
func (s *deferredOps) end() {
	for _, x := range s.list {
		if x.stop != nil {
			x.stop()
		}
	}
	clear(s.list)
	s.list, s.current, s.meet, s.ask = s.list[:0], nil, nil, nil
	clear(s.waiting)
}

// runAll runs the steps that can be run, each up to its next exchange.
func (s *deferredOps) runAll() {
	left := 0
	for i, x := range s.list {
		if !x.blocked(s.list[:left]) && s.done(x) {
			continue
		}
		s.list[left], s.list[i] = x, s.list[left]
		left++
	}
	clear(s.list[left:])
	s.list = s.list[:left]
}

// done runs a step up to its next exchange, and reports whether it was done before one.
func (s *deferredOps) done(x *step) bool {
	s.current = x
	defer func() { s.current = nil }()
	if !x.started {
		x.started = true
		x.resume, x.stop = iter.Pull(x.coroutine)
	}
	e, more := x.resume()
	for ; more && x.asks != nil; e, more = x.resume() {
		x.served, x.asks = s.ask(x.asks), nil
	}
	x.wants, x.made = e, false
	return !more
}

// coroutine does the op, and yields its exchanges.
func (x *step) coroutine(yield func(*collective.Exchange) bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(stopped); !ok {
				panic(v)
			}
		}
	}()
	x.yield = yield
	x.run()
}

// meetAll makes the exchanges that steps wait for, as one.
func (s *deferredOps) meetAll() {
	s.waiting = s.waiting[:0]
	for _, x := range s.list {
		if x.wants != nil && !x.made {
			s.waiting, x.made = append(s.waiting, x.wants), true
		}
	}
	s.meet(s.waiting)
}

// blocked reports whether a step has to wait for an exchange, or for one of those before it.
func (x *step) blocked(before []*step) bool {
	if x.wants != nil && !x.made {
		return true
	}
	for _, b := range before {
		if !x.started && meets(b.writes, x.reads) {
			return true
		}
		if x.started == x.late && (meets(b.writes, x.writes) || b.holds(x.writes)) {
			return true
		}
	}
	return false
}

// holds reports whether a step still reads one of some buffers.
func (x *step) holds(buffers []place) bool {
	return !(x.late && x.started) && meets(x.reads, buffers)
}

// meets reports whether lists have a buffer in common.
func meets(x, y []place) bool {
	return slices.ContainsFunc(x, func(b place) bool { return slices.Contains(y, b) })
}
