package training

import "testing"

// TestDefaults checks the negatives: all entities of a small graph, 12,000 of a large one, however
// large.
func TestDefaults(t *testing.T) {
	for _, c := range []struct{ entities, negatives int }{{14_505, 0}, {40_000, 0}, {40_001, 12_000}, {1_000_000, 12_000}, {10_000_000, 12_000}} {
		if o, _ := Defaults(c.entities, 10*c.entities); o.Negatives != c.negatives {
			t.Errorf("%d entities: %d negatives, want %d", c.entities, o.Negatives, c.negatives)
		}
	}
}
