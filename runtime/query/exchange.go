package query

import (
	"iter"

	"github.com/efoc/efoc/runtime/collective"
)

// laterOps are what ops of a plan on a part of a split model have still to do: each has done its
// own part, and waits for the exchange of its level. Exchanges are made as one, of those ops that
// want another one afterwards again, and so on. Which they are is the same on all ranks.
type laterOps struct {
	list []func()
	meet func(list []*collective.Exchange) // makes exchanges
	wait func(x *collective.Exchange) bool // of the op that runs, nil outside of Exchange
}

// stopped ends an op that nobody waits for any more.
type stopped struct{}

// Later has the rest of an op run at the next Exchange: what it exchanges with other ranks, and
// what it does with that.
func (w *Workspace) Later(rest func()) { w.later.list = append(w.later.list, rest) }

// Exchange makes the exchange of the ops before it, and runs them to their end. A plan for the
// parts of a split model calls it at the end of each level: see package pass of the compiler.
func (w *Workspace) Exchange() { w.later.run() }

// exchange makes an exchange: with those of other ops, if it is one of them that asks for it.
func (l *laterOps) exchange(x *collective.Exchange) {
	wait := l.wait
	if wait == nil {
		l.meet([]*collective.Exchange{x})
		return
	}
	if !wait(x) {
		panic(stopped{})
	}
	l.wait = wait
}

// run runs the ops, each as a coroutine if there are several.
func (l *laterOps) run() {
	list := l.list
	l.list = nil
	if len(list) == 1 {
		list[0]()
		return
	}
	var next []func() (*collective.Exchange, bool)
	defer func() { l.wait = nil }()
	for _, rest := range list {
		resume, stop := iter.Pull(l.coroutine(rest))
		defer stop()
		next = append(next, resume)
	}
	for len(next) > 0 {
		var wanted []*collective.Exchange
		left := next[:0]
		for _, resume := range next {
			if x, more := resume(); more {
				wanted, left = append(wanted, x), append(left, resume)
			}
		}
		if next = left; len(wanted) > 0 {
			l.meet(wanted)
		}
	}
}

// coroutine yields the exchanges of an op.
func (l *laterOps) coroutine(rest func()) iter.Seq[*collective.Exchange] {
	return func(yield func(x *collective.Exchange) bool) {
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(stopped); !ok {
					panic(v)
				}
			}
		}()
		l.wait = yield
		rest()
	}
}

// end forgets the ops that are left, after an error.
func (l *laterOps) end() { *l = laterOps{} }
