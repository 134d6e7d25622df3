package run

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Joint is work that the queries of a group do together. All of a group is of one type.
type Joint interface {
	// Together does the work of all these queries; the receiver is the first of them. It is
	// called once for all.
	Together(all []Joint)
	// Kind says which kind of work it is: much of one kind takes less time than some of both.
	Kind() Kind
}

// Kind is one of two kinds of work.
type Kind int

// The kinds: Scores asks for scores of rows alone, Sums adds rows up too.
const (
	Scores Kind = iota
	Sums
	kinds
)

// Group makes queries work together, such as pass over the entity table: a cyclic barrier
// at which each waits until all have come, and the last one does the work for everybody. A
// row of the table is read once then for all of them. Queries may enter and leave while
// others run; what they do between two barriers is their own matter.
//
// Where many wait, only those go on whose work is of one kind, and the kinds take turns. In the
// next round the others meet those that have gone on, most of which come back with the other kind:
// queries that score and sum by turns fall into step, wherever they began.
//
// On a part of a split model queries also wait to exchange something with other ranks. Where
// all wait, those exchanges are made, as one, before anything else: which of them meet is the
// same on all ranks, and work that is done together waits for the same queries as on a whole
// model.
type Group struct {
	// Meet makes the exchanges of several queries, in order of their numbers.
	Meet func(list []*collective.Exchange)

	mu     sync.Mutex
	due    chan struct{} // tells one of those that wait that the others may have come
	active int           // queries that have entered and not left
	// Of each kind: what waits, and the next round. last is the kind of the last round.
	waiting [kinds][]Joint
	round   [kinds]*round
	last    Kind
	spare   []Joint // memory of the last round
	// Of queries that exchange something: what waits, and the next round.
	exchanging []exchanging
	exchanges  *round
}

// exchanging is what a query has to exchange.
type exchanging struct {
	query int
	list  []*collective.Exchange
}

// apart is the number of queries from which kinds of work are done one by one.
const apart = 16

// round is one time that queries of the group meet.
type round struct {
	over  chan struct{}    // closed when the work is done
	fault *pool.PanicError // of the work
}

func newRound() *round { return &round{over: make(chan struct{})} }

func (r *round) isOver() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

// Init prepares a group of some number of queries.
func (g *Group) Init(queries int) {
	g.active = queries
	for k := range g.round {
		g.round[k] = newRound()
	}
	g.exchanges = newRound()
	g.due = make(chan struct{}, 1)
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

// join waits for the other queries and reports, when the work is done, true. If that panics,
// join panics with it in all of them: none has what it waited for. It reports false if the
// context ends before all have come: then the query is to leave.
func (g *Group) join(ctx context.Context, j Joint) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	kind := j.Kind()
	r := g.round[kind]
	g.waiting[kind] = append(g.waiting[kind], j)
	g.meet()
	return g.wait(r, ctx.Done(), func() bool {
		if r != g.round[kind] { // the work is under way
			return false
		}
		g.waiting[kind] = slices.DeleteFunc(g.waiting[kind], func(o Joint) bool { return o == j })
		return true
	})
}

// Exchange waits for the other queries and returns when the exchanges of this one, which has a
// number, are made.
func (g *Group) Exchange(query int, list []*collective.Exchange) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.exchanges
	g.exchanging = append(g.exchanging, exchanging{query, list})
	g.meet()
	g.wait(r, nil, nil)
}

// wait waits until a round is over, and reports true then, or until the query is cancelled and
// its work withdrawn. Meanwhile it does the work of a round that is due because another query left.
func (g *Group) wait(r *round, cancelled <-chan struct{}, withdraw func() bool) bool {
	for !r.isOver() {
		g.mu.Unlock()
		over, due := false, false
		select {
		case <-r.over:
			over = true
		case <-g.due:
			due = true
		case <-cancelled:
		}
		g.mu.Lock()
		switch {
		case over:
		case due:
			g.meet()
		case withdraw():
			return false
		default:
			cancelled = nil
		}
	}
	if r.fault != nil {
		panic(r.fault)
	}
	return true
}

// Leave says that a query is done or has failed: the others go on without it. If that was what
// they waited for, one of them does the work.
func (g *Group) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.allWait() {
		select {
		case g.due <- struct{}{}:
		default: // another Leave has said so
		}
	}
}

// allWait reports whether all queries wait.
func (g *Group) allWait() bool {
	all := len(g.waiting[0]) + len(g.waiting[1]) + len(g.exchanging)
	return all > 0 && all >= g.active
}

// meet does what is waited for, of one kind or of both, if all have come.
func (g *Group) meet() {
	if !g.allWait() {
		return
	}
	if len(g.exchanging) > 0 {
		g.exchange()
		return
	}
	n := len(g.waiting[0]) + len(g.waiting[1])
	if n >= apart && len(g.waiting[1-g.last]) > 0 {
		g.last = 1 - g.last
	}
	all, rounds := g.spare[:0], [kinds]*round{}
	for k := range g.waiting {
		if n < apart || Kind(k) == g.last {
			rounds[k], g.round[k] = g.round[k], newRound()
			all = append(all, g.waiting[k]...)
			clear(g.waiting[k])
			g.waiting[k] = g.waiting[k][:0]
		}
	}
	g.spare = nil
	g.work(func() { all[0].Together(all) }, rounds[:])
	clear(all)
	g.spare = all
}

// exchange makes the exchanges that are waited for.
func (g *Group) exchange() {
	r := g.exchanges
	g.exchanges = newRound()
	slices.SortFunc(g.exchanging, func(a, b exchanging) int { return cmp.Compare(a.query, b.query) })
	var list []*collective.Exchange
	for _, x := range g.exchanging {
		list = append(list, x.list...)
	}
	g.exchanging = g.exchanging[:0]
	g.work(func() { g.Meet(list) }, []*round{r})
}

// work does the work of some rounds and lets those go on who wait for it, also if it panics.
// Others may enter meanwhile, and wait for the next round, which cannot start before those of
// this one have come to it or left.
func (g *Group) work(do func(), rounds []*round) {
	g.mu.Unlock()
	defer func() {
		var fault *pool.PanicError
		if v := recover(); v != nil {
			fault = pool.Recovered(v)
		}
		g.mu.Lock()
		for _, r := range rounds {
			if r != nil {
				r.fault = fault
				close(r.over)
			}
		}
	}()
	do()
}
