package drive

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// step is a request of some kind; rounds notes which are served together.
type step struct {
	kind   Kind
	rounds *[][2]int
	fault  bool
}

func (s *step) Kind() Kind { return s.kind }

func (s *step) Like(o Request) bool {
	_, ok := o.(*step)
	return ok
}

func (s *step) Serve(all []Request) {
	var count [2]int
	fault := false
	for _, r := range all {
		count[r.Kind()]++
		fault = fault || r.(*step).fault
	}
	*s.rounds = append(*s.rounds, count)
	if fault {
		panic("boom")
	}
}

// patience is how long tests wait for an event: the machine may be slow and busy.
const patience = 5 * time.Minute

// newDriver returns a driver with a pool of several workers. When the test ends, neither it nor
// its queries may have left a goroutine.
func newDriver(t *testing.T, exchange func(list []*collective.Exchange)) *Driver {
	t.Helper()
	before := goruntime.NumGoroutine()
	p := pool.New(3)
	t.Cleanup(func() {
		p.Close()
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if goruntime.NumGoroutine() <= before {
				return
			}
		}
		t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
	})
	return New(p, exchange)
}

// walk has each query take steps of some kinds, where the steps of query fault panic. It returns what
// was served together and how many queries saw a panic.
func walk(t *testing.T, d *Driver, queries [][]Kind, fault int) (rounds [][2]int, faults int) {
	t.Helper()
	errs := d.Run(t.Context(), len(queries), func(i int, q *Run) error {
		var s State
		s.Begin(t.Context(), q)
		for _, kind := range queries[i] {
			if !s.Ask(&step{kind, &rounds, i == fault}) {
				t.Error("a request is not served")
			}
		}
		return nil
	})
	for _, err := range errs {
		var e *pool.PanicError
		switch {
		case err == nil:
		case !errors.As(err, &e) || e.Value != "boom" || !bytes.Contains(e.Stack, []byte("(*step).Serve")):
			t.Errorf("a query ends with %v", err)
		default:
			faults++
		}
	}
	if n := d.Active(); n != 0 {
		t.Errorf("%d queries are active after all have ended", n)
	}
	return rounds, faults
}

// TestKinds has queries ask for two kinds by turns. Few have both served together. If half of many
// queries begin with the other kind, all meet after one round.
func TestKinds(t *testing.T) {
	byTurns := func(n, steps int) [][]Kind {
		queries := make([][]Kind, n)
		for i := range queries {
			for k := range steps {
				queries[i] = append(queries[i], Kind(i+k)%2)
			}
		}
		return queries
	}
	d := newDriver(t, nil)
	rounds, _ := walk(t, d, byTurns(minApart-2, 5), -1)
	if len(rounds) != 5 || rounds[0] != [2]int{minApart/2 - 1, minApart/2 - 1} {
		t.Errorf("few are served in rounds of %v, want all in each of 5", rounds)
	}
	rounds, _ = walk(t, d, byTurns(4*minApart, 5), -1)
	if len(rounds) != 6 {
		t.Errorf("many are served in rounds of %v, want 6", rounds)
	}
	for i, r := range rounds {
		if r[0] > 0 && r[1] > 0 || i > 0 && i < 5 && r[0]+r[1] != 4*minApart {
			t.Errorf("in round %d of %v not all of one kind are served", i, rounds)
		}
	}
}

// TestRandom has queries ask for anything in any order: all of it is served, and a panic is that
// of the queries that were served together.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := newDriver(t, nil)
	for range 50 {
		queries, total := make([][]Kind, 1+rng.IntN(60)), 0
		for i := range queries {
			for range rng.IntN(8) {
				queries[i] = append(queries[i], Kind(rng.IntN(2)))
				total++
			}
		}
		rounds, faults := walk(t, d, queries, -1)
		for _, r := range rounds {
			total -= r[0] + r[1]
			if r[0] > 0 && r[1] > 0 && r[0]+r[1] >= minApart {
				t.Errorf("%v of two kinds are served together", r)
			}
		}
		if total != 0 || faults != 0 {
			t.Fatalf("%d requests are left, %d panics", total, faults)
		}
		if len(queries[0]) > 0 {
			if rounds, faults = walk(t, d, queries, 0); faults < 1 || faults > len(queries) {
				t.Errorf("%d panics in %d queries, served in rounds of %v", faults, len(queries), rounds)
			}
		}
	}
}

// other is a request that is not like a step.
type other struct{ step }

func (o *other) Serve(all []Request) { *o.rounds = append(*o.rounds, [2]int{len(all)}) }

func (o *other) Like(r Request) bool {
	_, ok := r.(*other)
	return ok
}

// TestLike serves only those requests together that are alike, and a panic of some is not the
// others'.
func TestLike(t *testing.T) {
	var steps, others [][2]int
	errs := newDriver(t, nil).Run(t.Context(), 5, func(i int, q *Run) error {
		var s State
		s.Begin(t.Context(), q)
		if i < 2 {
			s.Ask(&step{Sums, &steps, true})
		} else {
			s.Ask(&other{step{Columns, &others, false}})
		}
		return nil
	})
	for i, err := range errs {
		if (err != nil) != (i < 2) {
			t.Errorf("query %d: error %v", i, err)
		}
	}
	if !slices.Equal(steps, [][2]int{{0, 2}}) || !slices.Equal(others, [][2]int{{3}}) {
		t.Errorf("requests are served as %v and %v", steps, others)
	}
}

// TestAlone serves requests of a query without a driver at once, and allocates nothing.
func TestAlone(t *testing.T) {
	var s State
	var rounds [][2]int
	r := &step{Sums, &rounds, false}
	s.Begin(t.Context(), nil)
	if n := testing.AllocsPerRun(10, func() {
		rounds = rounds[:0]
		s.Ask(r)
	}); n > 0 || s.Batched() || s.Together() != 1 || !slices.Equal(rounds, [][2]int{{0, 1}}) {
		t.Errorf("%v allocations, served as %v", n, rounds)
	}
}

// soon fails a test that waits for ever.
func soon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s takes for ever", what)
	}
}

// TestWithdraw has a query wait for one that was announced, until that is withdrawn.
func TestWithdraw(t *testing.T) {
	d := newDriver(t, nil)
	d.Enter(2)
	var rounds [][2]int
	asked := make(chan struct{})
	q := d.Start(t.Context(), 0, func(q *Run) error {
		var s State
		s.Begin(t.Context(), q)
		if n := s.Together(); n != 2 {
			t.Errorf("%d queries run together, want 2", n)
		}
		close(asked)
		if !s.Ask(&step{Columns, &rounds, false}) {
			t.Error("the request is not served")
		}
		return nil
	})
	soon(t, "the query", asked)
	time.Sleep(20 * time.Millisecond)
	select {
	case <-q.done:
		t.Error("the query has not waited for the other one")
	default:
	}
	d.Withdraw()
	soon(t, "the request", q.done)
}

// TestLeave has a query leave: the rest of it runs while others are served, and its requests are
// served at once.
func TestLeave(t *testing.T) {
	d := newDriver(t, nil)
	free := make(chan struct{})
	var alone, rounds [][2]int
	errs := d.Run(t.Context(), 2, func(i int, q *Run) error {
		var s State
		s.Begin(t.Context(), q)
		if i == 1 {
			s.Ask(&step{Columns, &rounds, false})
			close(free)
			return nil
		}
		s.Leave()
		soon(t, "the other query", free)
		if s.Batched() || !s.Ask(&step{Columns, &alone, false}) {
			t.Error("it has not left")
		}
		panic("boom")
	})
	var e *pool.PanicError
	if !errors.As(errs[0], &e) || errs[1] != nil || len(alone) != 1 || !slices.Equal(rounds, [][2]int{{1, 0}}) {
		t.Errorf("errors %v, served %v and %v", errs, alone, rounds)
	}
}

// TestCancelled cancels queries that wait for one that was announced: their requests are not served,
// the others' are.
func TestCancelled(t *testing.T) {
	for _, cancelled := range []int{1, 2} { // of those that wait
		d := newDriver(t, nil)
		d.Enter(3)
		ctx, cancel := context.WithCancel(t.Context())
		var rounds [][2]int
		var queries [2]*Run
		for i := range queries {
			own := t.Context()
			if i < cancelled {
				own = ctx
			}
			queries[i] = d.Start(own, 0, func(q *Run) error {
				var s State
				s.Begin(own, q)
				if served := s.Ask(&step{Kind(i), &rounds, false}); served == (i < cancelled) {
					t.Errorf("query %d of %d cancelled: its request is served: %v", i, cancelled, served)
				}
				return s.Err()
			})
		}
		time.Sleep(5 * time.Millisecond)
		cancel()
		for _, q := range queries[:cancelled] {
			soon(t, "a query that was cancelled", q.done)
			if err := q.Wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
		d.Withdraw()
		for _, q := range queries[cancelled:] {
			if err := q.Wait(); err != nil {
				t.Errorf("error %v", err)
			}
		}
		if len(rounds) != 2-cancelled {
			t.Errorf("%d of 2 are cancelled: %v is served", cancelled, rounds)
		}
	}
}

// TestExchanges makes the exchanges of all queries as one, in order, before any request is served.
func TestExchanges(t *testing.T) {
	var made []int // exchanges that are made as one
	var order []*collective.Exchange
	var rounds [][2]int
	d := newDriver(t, func(list []*collective.Exchange) {
		if made = append(made, len(list)); len(rounds) > 0 && len(made) == 1 {
			t.Error("a request is served before an exchange")
		}
		order = append(order, list...)
	})
	want := make([]*collective.Exchange, 6)
	for i := range want {
		want[i] = &collective.Exchange{}
	}
	errs := d.Run(t.Context(), 4, func(i int, q *Run) error {
		var s State
		s.Begin(t.Context(), q)
		if i < 3 {
			q.Exchange(want[2*i : 2*i+2])
		}
		s.Ask(&step{Columns, &rounds, false})
		return nil
	})
	if !slices.Equal(made, []int{6}) || !slices.Equal(order, want) || !slices.Equal(rounds, [][2]int{{4, 0}}) {
		t.Errorf("errors %v, exchanges %v in order %v, rounds %v", errs, made, order, rounds)
	}
}

// TestGoexit has queries end their goroutine, as a failing test does: the others go on.
func TestGoexit(t *testing.T) {
	d := newDriver(t, nil)
	for range 20 {
		var rounds [][2]int
		errs := d.Run(t.Context(), 8, func(i int, q *Run) error {
			var s State
			s.Begin(t.Context(), q)
			if i%3 == 0 {
				goruntime.Goexit()
			}
			s.Ask(&step{Columns, &rounds, false})
			return errors.New("over")
		})
		for i, err := range errs {
			if (err == nil) != (i%3 == 0) {
				t.Errorf("query %d: error %v", i, err)
			}
		}
		if !slices.Equal(rounds, [][2]int{{5, 0}}) {
			t.Errorf("served in rounds of %v", rounds)
		}
	}
}
