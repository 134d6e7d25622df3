package collective

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCounted counts a sum, a swap and a message of three ranks.
func TestCounted(t *testing.T) {
	const ranks = 3
	var exchanges atomic.Int64
	var wg sync.WaitGroup
	all := Local(ranks, time.Minute)
	all[0] = Counted(all[0], &exchanges)
	for _, transport := range all {
		wg.Go(func() {
			g := NewGroup(transport)
			add(g, []float32{1, 2, 3, 4})
			from, to := make([][]float32, ranks), make([][]float32, ranks)
			for i := range ranks {
				from[i], to[i] = make([]float32, i+g.Rank()), make([]float32, i+g.Rank())
			}
			g.SwapLater(from, to)
			g.Exchange()
			if g.Rank() == 0 {
				if err := g.Send([]byte("hello")); err != nil {
					t.Error(err)
				}
			} else if m, err := g.Wait(); err != nil || string(m) != "hello" {
				t.Errorf("got %q, %v", m, err)
			}
		})
	}
	wg.Wait()
	if n := exchanges.Load(); n != 3 {
		t.Errorf("%d exchanges, want 3", n)
	}
}
