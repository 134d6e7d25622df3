package collective

import (
	"sync"
	"testing"
	"time"
)

// TestCounted counts a sum and a swap of three ranks, whose bytes follow from their lengths: a
// header of 8 bytes and the numbers, to two others; then a header and i+r numbers from rank r to
// rank i, up to a multiple of 8 bytes.
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
	const sum, swap = ranks * 2 * (8 + 2*8), 2 * (8 + 8 + 8 + 8 + 8 + 16)
	if n, bytes := traffic.Exchanges(), traffic.Bytes(); n != 2 || bytes != sum+swap {
		t.Errorf("%d exchanges of %d bytes, want 2 of %d", n, bytes, sum+swap)
	}
}
