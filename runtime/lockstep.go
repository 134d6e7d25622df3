package runtime

import (
	"sync"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// Joint is work that the queries of a batch do together: they run the same plan, so
// they come to it in the same order.
type Joint interface {
	// Together does the work of all queries, which have come to the same place of
	// their plan; the receiver is the first of them. It is called once for all.
	Together(all []Joint)
}

// Together does work that the queries of a batch do together. It returns when it is
// done. Every query must come here as often as the others, whatever it is about.
func (w *Workspace) Together(j Joint) {
	if w.batch != nil {
		w.batch.join(j)
		return
	}
	w.alone[0] = j
	j.Together(w.alone[:])
	w.alone[0] = nil
}

// lockstep makes the queries of a batch work together, such as pass over the entity
// table: each waits until all have come, and the last one does the work for
// everybody. A row of the table is read once then for the whole batch.
type lockstep struct {
	mu      sync.Mutex
	turn    sync.Cond
	active  int // queries that have not left
	waiting []Joint
	round   *round // the present one
	merged  Sweep
}

// round is one time that the queries of a batch meet.
type round struct {
	over  bool
	fault *pool.PanicError // what its work panicked with
}

func newLockstep() *lockstep {
	l := &lockstep{round: &round{}}
	l.turn.L = &l.mu
	return l
}

// join waits for the other queries and returns when the work is done. If that panics,
// join panics with it in all of them: none has what it waited for.
func (l *lockstep) join(j Joint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.round
	l.waiting = append(l.waiting, j)
	if len(l.waiting) == l.active {
		l.work()
	}
	for !r.over {
		l.turn.Wait()
	}
	if r.fault != nil {
		panic(r.fault)
	}
}

// leave says that a query is done or has failed: the others go on without it.
func (l *lockstep) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	if l.active > 0 && len(l.waiting) == l.active {
		l.work()
	}
}

// work does what all wait for and lets them go on, also if that panics.
func (l *lockstep) work() {
	r := l.round
	defer func() {
		if v := recover(); v != nil {
			r.fault = pool.Recovered(v)
		}
		r.over = true
		l.waiting, l.round = l.waiting[:0], &round{}
		l.turn.Broadcast()
	}()
	l.waiting[0].Together(l.waiting)
}
