package graph

import "testing"

// TestZeroValues checks that the zero values are neither an entity nor a relation,
// in neither direction.
func TestZeroValues(t *testing.T) {
	if e, r := (Entity{}).ID(), (Relation{}).ID(); e >= 0 || r >= 0 || r.Inverse() >= 0 {
		t.Errorf("the zero values have the ids %d, %d and %d, want negative ones", e, r, r.Inverse())
	}
	if e, r := EntityOf(0), RelationOf(1); e == (Entity{}) || e.ID() != 0 || r.ID() != 1 || r.ID().Inverse() != 0 {
		t.Errorf("the first entity and the first inverse have the ids %d and %d", e.ID(), r.ID())
	}
}
