package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// onAll runs something on all ranks at a time.
func onAll(ranks int, timeout time.Duration, run func(g *Group)) {
	var wg sync.WaitGroup
	for _, t := range Local(ranks, timeout) {
		wg.Go(func() { run(NewGroup(t)) })
	}
	wg.Wait()
}

// add sets x to the sums over all ranks.
func add(g *Group, x []float32) {
	g.AddLater(x)
	g.Exchange()
}

// TestExchanges compares what ranks exchange with sums and maxima over all of them.
func TestExchanges(t *testing.T) {
	for ranks := 1; ranks <= 9; ranks++ {
		onAll(ranks, time.Minute, func(g *Group) {
			me := float32(g.Rank())
			for round := range 20 {
				sum, top := []float32{me, float32(round), 1}, []float32{me, -me}
				add(g, sum)
				g.Max(top)
				if want := []float32{float32(ranks * (ranks - 1) / 2), float32(ranks * round), float32(ranks)}; !slices.Equal(sum, want) {
					t.Errorf("%d ranks: sums are %v, want %v", ranks, sum, want)
				}
				if want := []float32{float32(ranks - 1), 0}; !slices.Equal(top, want) {
					t.Errorf("%d ranks: maxima are %v, want %v", ranks, top, want)
				}
				from, to := make([][]float32, ranks), make([][]float32, ranks)
				for i := range ranks { // i+rank numbers to rank i
					for range i + g.Rank() {
						to[i] = append(to[i], float32(100*g.Rank()+i))
					}
					from[i] = make([]float32, i+g.Rank())
				}
				g.SwapLater(from, to)
				g.Exchange()
				for i, x := range from {
					if slices.ContainsFunc(x, func(v float32) bool { return v != float32(100*i+g.Rank()) }) {
						t.Errorf("rank %d has %v of rank %d", g.Rank(), x, i)
					}
				}
			}
			if err := g.Settle(); err != nil {
				t.Error(err)
			}
		})
	}
}

// ending is a context that ends with an error.
type ending struct {
	context.Context
	why error
}

func (e *ending) Err() error { return e.why }

// TestErrors fails or cancels one rank between two exchanges: all learn it at the next one,
// none waits, and the next query goes on.
func TestErrors(t *testing.T) {
	const ranks, exchanges = 4, 6
	for bad := range ranks {
		for at := range exchanges + 1 {
			for _, why := range []error{nil, context.Canceled, context.DeadlineExceeded} {
				cancels := why != nil
				var mu sync.Mutex
				ended := map[int]int{}
				onAll(ranks, time.Minute, func(g *Group) {
					ctx := &ending{Context: context.Background()}
					g.Begin(ctx)
					for i := range exchanges {
						if i == at && g.Rank() == bad {
							if cancels {
								ctx.why = why
							} else {
								g.Fail(errors.New("no room"))
							}
						}
						add(g, []float32{1})
						if g.Err() != nil {
							mu.Lock()
							ended[i]++
							mu.Unlock()
							break
						}
					}
					if at == exchanges && g.Rank() == bad {
						g.Fail(errors.New("no room"))
					}
					err := g.Settle()
					switch {
					case err == nil:
						t.Errorf("rank %d: no error after rank %d failed at %d", g.Rank(), bad, at)
					case cancels && at < exchanges:
						for _, other := range []error{context.Canceled, context.DeadlineExceeded} {
							if errors.Is(err, other) != (other == why) {
								t.Errorf("rank %d: error is %v, want %v of rank %d", g.Rank(), err, why, bad)
							}
						}
					case g.Rank() != bad && err.Error() != fmt.Sprintf("rank %d: no room", bad) || !strings.Contains(err.Error(), "no room"):
						t.Errorf("rank %d: error is %v, want that rank %d has no room", g.Rank(), err, bad)
					}
					g.Begin(context.Background())
					sum := []float32{1}
					if add(g, sum); g.Settle() != nil || sum[0] != ranks {
						t.Errorf("the next query gives %v", sum)
					}
				})
				if at < exchanges && ended[at] != ranks {
					t.Errorf("rank %d failed at exchange %d: the ranks ended at %v", bad, at, ended)
				}
			}
		}
	}
}

// TestLost has a rank that stays away, aborts, or makes another exchange: all others get an
// error, and no exchange after that gives anything.
func TestLost(t *testing.T) {
	for _, c := range []struct {
		what, want string
		patience   time.Duration
		last       func(g *Group, others *sync.WaitGroup)
	}{
		{"stays away", "rank 2 did not come", time.Second, func(_ *Group, others *sync.WaitGroup) { others.Wait() }},
		{"aborts", "out of luck", time.Minute, func(g *Group, _ *sync.WaitGroup) { g.Abort(errors.New("out of luck")) }},
		{"sends more", "different lengths", time.Minute, func(g *Group, _ *sync.WaitGroup) { add(g, make([]float32, 9)) }},
		{"is further", "at exchange", time.Minute, func(g *Group, _ *sync.WaitGroup) { g.sequence++; add(g, []float32{1}) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			var others sync.WaitGroup
			others.Add(2)
			onAll(3, c.patience, func(g *Group) {
				add(g, []float32{1})
				if g.Rank() == 2 {
					c.last(g, &others)
					return
				}
				defer others.Done()
				add(g, []float32{1})
				add(g, []float32{1})
				if err := g.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("a rank %s: error is %v, want %s", c.what, err, c.want)
				}
				if g.Broken() == nil || g.Settle() == nil {
					t.Errorf("a rank %s: the others go on", c.what)
				}
			})
		})
	}
}

// TestAssemble has a rank go away while nothing is asked: that is noticed by all others, which
// otherwise wait for a message for longer than they wait at an exchange.
func TestAssemble(t *testing.T) {
	const ranks, patience = 3, time.Second
	for gone := range ranks {
		t.Run(fmt.Sprint(gone), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var others sync.WaitGroup
				others.Add(ranks - 1)
				onAll(ranks, patience, func(g *Group) {
					var err error
					switch {
					case g.Rank() == 0:
						for start := time.Now(); err == nil && time.Since(start) < 2*patience; time.Sleep(patience / 10) {
							err = g.Assemble()
						}
						if err == nil {
							err = g.Send([]byte("first"))
						}
					default:
						var message []byte
						if message, err = g.Wait(); string(message) != "first" {
							t.Errorf("rank %d gets %q", g.Rank(), message)
						}
					}
					if err != nil {
						t.Errorf("rank %d: %v", g.Rank(), err)
					}
					if g.Rank() == gone {
						others.Wait()
						return
					}
					defer others.Done()
					if g.Rank() == 0 {
						err = g.Assemble()
					} else {
						_, err = g.Wait()
					}
					if want := fmt.Sprintf("rank %d did not come", gone); err == nil || !strings.Contains(err.Error(), want) || g.Broken() == nil {
						t.Errorf("rank %d: error is %v, want that %s", g.Rank(), err, want)
					}
				})
			})
		})
	}
}

// TestLater has exchanges wait: they are made as one with the next one, functions to call then are
// called in order, and exchanges that wait by then are made as one again. After an error nothing is
// done.
func TestLater(t *testing.T) {
	const ranks = 3
	onAll(ranks, time.Minute, func(g *Group) {
		for _, fails := range []bool{false, true} {
			var met, done []int
			lane := g.Lane(func(list []*Exchange) { met = append(met, len(list)); g.Meet(list) })
			sum, top, more := []float32{1, 2}, []float32{float32(g.Rank())}, []float32{3}
			lane.AddLater(sum)
			lane.Then(func() {
				done = append(done, 1)
				lane.AddLater(more)
				lane.Then(func() { done = append(done, 3) })
			})
			GatherLater(lane, top, func(all []float32) { done = append(done, len(all)-1); lane.AddLater(more) })
			if fails && g.Rank() == 1 {
				g.Fail(errors.New("no room"))
			}
			lane.Max(top)
			if lane.Exchange(); fails {
				if len(met) != 1 || len(done) > 0 || g.Settle() == nil {
					t.Errorf("after an error %d is done in exchanges of %v", done, met)
				}
				continue
			}
			if want := []float32{ranks, 2 * ranks, ranks - 1}; !slices.Equal(append(sum, top...), want) {
				t.Errorf("results are %v and %v, want %v", sum, top, want)
			}
			if !slices.Equal(met, []int{3, 2}) || !slices.Equal(done, []int{1, 2, 3}) {
				t.Errorf("%d is done in exchanges of %v", done, met)
			}
		}
	})
}
