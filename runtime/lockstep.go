package runtime

import "sync"

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
	round   int
	merged  Sweep
}

func newLockstep() *lockstep {
	l := &lockstep{}
	l.turn.L = &l.mu
	return l
}

// join waits for the other queries and returns when the work is done.
func (l *lockstep) join(j Joint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, j)
	if len(l.waiting) == l.active {
		l.work()
		return
	}
	for round := l.round; round == l.round; {
		l.turn.Wait()
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

// work does what all wait for and lets them go on.
func (l *lockstep) work() {
	l.waiting[0].Together(l.waiting)
	l.waiting = l.waiting[:0]
	l.round++
	l.turn.Broadcast()
}
