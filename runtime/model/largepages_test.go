package model

import (
	"testing"

	"github.com/efoc/efoc/runtime/internal/largepages"
)

// TestLargePages checks that slices of all sizes, below a large page and above, are zeros that can be written.
func TestLargePages(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 2 << 20, 5<<20 + 3} {
		s := largepages.Make[float32](n)
		if len(s) != n {
			t.Fatalf("%d numbers, want %d", len(s), n)
		}
		for i, x := range s {
			if x != 0 {
				t.Fatalf("number %d of %d is %v", i, n, x)
			}
			s[i] = 1
		}
	}
}
