package collective

import (
	"sync"
	"testing"
	"time"
)

// TestCounted counts a sum, a swap and a message of three ranks, whose bytes follow from their
// lengths: a header of 8 bytes and the numbers, to two others; then a header and i+r numbers from
// rank r to rank i, up to a multiple of 8 bytes; then the length and the message, to two.
func TestCounted(t *testing.T) {
	const ranks = 3
	var traffic Traffic
	var wg sync.WaitGroup
	for _, transport := range Local(ranks, time.Minute) {
		wg.Go(func() {
			g := NewGroup(Counted(transport, &traffic))
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
	const sum, swap, message = ranks * 2 * (8 + 2*8), 2 * (8 + 8 + 8 + 8 + 8 + 16), 2 * (8 + 5)
	if n, bytes := traffic.Exchanges(), traffic.Bytes(); n != 3 || bytes != sum+swap+message {
		t.Errorf("%d exchanges of %d bytes, want 3 of %d", n, bytes, sum+swap+message)
	}
	if n := traffic.Messages(); n != 6+6+4 {
		t.Errorf("%d messages, want 6 of the sum, 6 of the swap, and 4 of a message with its length", n)
	}
}
