package collective

import (
	"sync"
	"testing"
	"time"
)

// TestCounted counts a sum and a swap of three ranks, whose bytes follow from their lengths: a
// header of 8 bytes and the numbers, to two others; then a header alone, and i+r numbers from
// rank r to rank i.
func TestCounted(t *testing.T) {
	const ranks = 3
	var traffic Traffic
	var wg sync.WaitGroup
	for _, transport := range Local(ranks, time.Minute) {
		wg.Go(func() {
			g := NewGroup(Counted(transport, &traffic))
			g.Sum([]float64{1, 2})
			from, to := make([][]float32, ranks), make([][]float32, ranks)
			for i := range ranks {
				from[i], to[i] = make([]float32, i+g.Rank()), make([]float32, i+g.Rank())
			}
			if !g.Swap(from, to) {
				t.Error(g.Err())
			}
		})
	}
	wg.Wait()
	const sum, agree, swap = ranks * 2 * (8 + 2*8), ranks * 2 * 8, 2 * (1 + 2 + 3) * 4
	if n, bytes := traffic.Exchanges(), traffic.Bytes(); n != 3 || bytes != sum+agree+swap {
		t.Errorf("%d exchanges of %d bytes, want 3 of %d", n, bytes, sum+agree+swap)
	}
}
