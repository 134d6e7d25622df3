package runtime

import "sync"

// lockstep makes the queries of a batch pass over the entity table together.
// They run the same plan, so they reach its sweeps in the same order: each waits
// at a sweep until all have come, and the last one makes the pass for everybody.
// A row is read once then for the whole batch.
type lockstep struct {
	mu      sync.Mutex
	turn    sync.Cond
	active  int // queries that have not left
	waiting []*Sweep
	round   int
	merged  Sweep
}

func newLockstep() *lockstep {
	l := &lockstep{}
	l.turn.L = &l.mu
	return l
}

// join waits for the other queries and returns when the pass is made.
func (l *lockstep) join(s *Sweep) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, s)
	if len(l.waiting) == l.active {
		l.pass()
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
		l.pass()
	}
}

// pass makes the pass that all wait for, as one sweep that does what each of
// theirs does, and lets them go on.
func (l *lockstep) pass() {
	m := &l.merged
	m.w = l.waiting[0].w
	m.scores, m.loops, m.sums = m.scores[:0], m.loops[:0], m.sums[:0]
	for _, s := range l.waiting {
		m.scores = append(m.scores, s.scores...)
		m.loops = append(m.loops, s.loops...)
		m.sums = append(m.sums, s.sums...)
	}
	m.batched = len(l.waiting) > 1
	m.pass()
	l.waiting = l.waiting[:0]
	l.round++
	l.turn.Broadcast()
}
