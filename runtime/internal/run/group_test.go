package run

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// step is a piece of work of some kind; calls notes which are done together.
type step struct {
	kind  Kind
	calls *[][kinds]int
	fault bool
}

func (s *step) Kind() Kind { return s.kind }

func (s *step) Together(all []Joint) {
	var count [kinds]int
	fault := false
	for _, j := range all {
		count[j.Kind()]++
		fault = fault || j.(*step).fault
	}
	*s.calls = append(*s.calls, count)
	if fault {
		panic("boom")
	}
}

// walk has each query of a group do steps of some kinds, of which the one at fault panics, and
// returns what was done together and how many queries saw a panic.
func walk(t *testing.T, queries [][]Kind, fault int) (calls [][kinds]int, faults int) {
	var g Group
	g.Init(len(queries))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i, list := range queries {
		wg.Go(func() {
			defer g.Leave()
			defer func() {
				if v := recover(); v != nil {
					if e, ok := v.(*pool.PanicError); !ok || e.Value != "boom" {
						t.Errorf("panic with %v", v)
					}
					mu.Lock()
					faults++
					mu.Unlock()
				}
			}()
			var s State
			s.Begin(context.Background(), &g)
			for _, kind := range list {
				s.MeetOthers(&step{kind, &calls, i == fault})
			}
		})
	}
	wg.Wait()
	return calls, faults
}

// TestGroupKinds has queries do two kinds of work by turns. Few do both together. Of many,
// half of which begin with the other kind, those of one kind meet all of them after one round.
func TestGroupKinds(t *testing.T) {
	byTurns := func(n, steps int) [][]Kind {
		queries := make([][]Kind, n)
		for i := range queries {
			for k := range steps {
				queries[i] = append(queries[i], Kind(i+k)%kinds)
			}
		}
		return queries
	}
	calls, _ := walk(t, byTurns(apart-2, 5), -1)
	if len(calls) != 5 || calls[0] != [kinds]int{apart/2 - 1, apart/2 - 1} {
		t.Errorf("few meet as %v, want all in each of 5 rounds", calls)
	}
	calls, _ = walk(t, byTurns(4*apart, 5), -1)
	if len(calls) != 6 {
		t.Errorf("many meet as %v, want 6 rounds", calls)
	}
	for i, c := range calls {
		if c[0] > 0 && c[1] > 0 || i > 0 && i < 5 && c[0]+c[1] != 4*apart {
			t.Errorf("in round %d of %v not all of one kind meet", i, calls)
		}
	}
}

// TestGroupRandom has queries do any work in any order: all of it is done, and a panic is
// that of those whose work was to be done with it.
func TestGroupRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		queries, total := make([][]Kind, 1+rng.IntN(60)), 0
		for i := range queries {
			for range rng.IntN(8) {
				queries[i] = append(queries[i], Kind(rng.IntN(int(kinds))))
				total++
			}
		}
		calls, faults := walk(t, queries, -1)
		for _, c := range calls {
			total -= c[0] + c[1]
			if c[0] > 0 && c[1] > 0 && c[0]+c[1] >= apart {
				t.Errorf("%v of two kinds are done together", c)
			}
		}
		if total != 0 || faults != 0 {
			t.Fatalf("%d steps are left, %d panics", total, faults)
		}
		if len(queries[0]) > 0 {
			if calls, faults = walk(t, queries, 0); faults < 1 || faults > len(queries) {
				t.Errorf("%d panics in %d queries that met as %v", faults, len(queries), calls)
			}
		}
	}
}

// blocked is work that takes until free is closed.
type blocked struct{ begun, free chan struct{} }

func (b *blocked) Kind() Kind { return Scores }

func (b *blocked) Together([]Joint) {
	close(b.begun)
	<-b.free
}

// soon fails a test that waits for ever.
func soon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s takes for ever", what)
	}
}

// TestGroupLeave has a query leave one that waits: it does not do the other's work first.
func TestGroupLeave(t *testing.T) {
	var g Group
	g.Init(2)
	work := &blocked{make(chan struct{}), make(chan struct{})}
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer g.Leave()
		var s State
		s.Begin(context.Background(), &g)
		if !s.MeetOthers(work) {
			t.Error("the work is not done")
		}
	}()
	go func() {
		defer close(left)
		g.Leave()
	}()
	soon(t, "Leave", left)
	soon(t, "the other's work", work.begun)
	close(work.free)
	soon(t, "the other query", done)
}

// TestGroupCancelled cancels a query that waits for others: it waits no more, and its work is not
// done, but that of the others is.
func TestGroupCancelled(t *testing.T) {
	for _, cancelled := range []int{1, 2} { // of those that wait
		var g Group
		g.Init(3)
		var calls [][kinds]int
		ctx, cancel := context.WithCancel(t.Context())
		var waiting, wg sync.WaitGroup
		ended := make(chan struct{}, 2)
		waiting.Add(2)
		for i := range 2 {
			wg.Go(func() {
				defer func() { ended <- struct{}{} }()
				defer g.Leave()
				var s State
				if s.Begin(context.Background(), &g); i < cancelled {
					s.Begin(ctx, &g)
				}
				waiting.Done()
				if done := s.MeetOthers(&step{Kind(i), &calls, false}); done == (i < cancelled) {
					t.Errorf("query %d of %d cancelled: its work is done: %v", i, cancelled, done)
				}
			})
		}
		waiting.Wait()
		cancel()
		for range cancelled {
			soon(t, "a query that was cancelled", ended)
		}
		g.Leave()
		wg.Wait()
		if len(calls) != 2-cancelled {
			t.Errorf("%d of 2 are cancelled: %v is done", cancelled, calls)
		}
	}
}
