package run

import (
	"sync"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// Joint is work that the queries of a group do together. All of a group is of one type.
type Joint interface {
	// Together does the work of all queries of the group; the receiver is the first of
	// them. It is called once for all.
	Together(all []Joint)
}

// Group makes queries work together, such as pass over the entity table: a cyclic barrier
// at which each waits until all have come, and the last one does the work for everybody. A
// row of the table is read once then for all of them. Queries may enter and leave while
// others run; what they do between two barriers is their own matter.
type Group struct {
	mu      sync.Mutex
	turn    sync.Cond
	active  int // queries that have entered and not left
	waiting []Joint
	spare   []Joint // memory of the last round
	round   *round  // the next one
}

// round is one time that the queries of a group meet.
type round struct {
	over  bool
	fault *pool.PanicError // what its work panicked with
}

// Init prepares a group of some number of queries.
func (g *Group) Init(queries int) {
	g.active, g.round = queries, &round{}
	g.turn.L = &g.mu
}

// Enter says that some number of further queries will come: the others wait for them.
func (g *Group) Enter(queries int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active += queries
}

// Active returns the number of queries that have entered and not left.
func (g *Group) Active() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.active
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

// work does what all wait for and lets them go on, also if that panics. Others may enter
// meanwhile, and wait for the next round, which cannot start before those of this one
// have come to it or left.
func (g *Group) work() {
	r, all := g.round, g.waiting
	g.round, g.waiting, g.spare = &round{}, g.spare[:0], nil
	g.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			r.fault = pool.Recovered(v)
		}
		g.mu.Lock()
		r.over = true
		clear(all)
		g.spare = all
		g.turn.Broadcast()
	}()
	all[0].Together(all)
}
