package run

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

// Group makes the queries of a batch work together, such as pass over the entity table:
// a cyclic barrier at which each waits until all have come, and the last one does the
// work for everybody. A row of the table is read once then for the whole batch.
type Group struct {
	mu      sync.Mutex
	turn    sync.Cond
	active  int // queries that have not left
	waiting []Joint
	round   *round // the present one
}

// round is one time that the queries of a batch meet.
type round struct {
	over  bool
	fault *pool.PanicError // what its work panicked with
}

// Init prepares a group of some number of queries.
func (g *Group) Init(queries int) {
	g.active, g.round = queries, &round{}
	g.turn.L = &g.mu
}

// join waits for the other queries and returns when the work is done. If that panics,
// join panics with it in all of them: none has what it waited for.
func (g *Group) join(j Joint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.round
	g.waiting = append(g.waiting, j)
	if len(g.waiting) == g.active {
		g.work()
	}
	for !r.over {
		g.turn.Wait()
	}
	if r.fault != nil {
		panic(r.fault)
	}
}

// Leave says that a query is done or has failed: the others go on without it.
func (g *Group) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.active > 0 && len(g.waiting) == g.active {
		g.work()
	}
}

// work does what all wait for and lets them go on, also if that panics.
func (g *Group) work() {
	r := g.round
	defer func() {
		if v := recover(); v != nil {
			r.fault = pool.Recovered(v)
		}
		r.over = true
		g.waiting, g.round = g.waiting[:0], &round{}
		g.turn.Broadcast()
	}()
	g.waiting[0].Together(g.waiting)
}
