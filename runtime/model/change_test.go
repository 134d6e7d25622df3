package model

import (
	"errors"
	"github.com/efoc/efoc/runtime/model/graph"
	"testing"
)

// TestModelWith checks the fate of facts that are held back, the counts, and that the first model
// stays as it was.
func TestModelWith(t *testing.T) {
	m := smallModel(t) // holds back 2 knows 3
	next, done, err := m.With(Change{
		Add:    []graph.Triple{{Head: 2, Relation: 0, Tail: 3}, {Head: 0, Relation: 0, Tail: 1}, {Head: 3, Relation: 1, Tail: 3}, {Head: 3, Relation: 1, Tail: 3}},
		Remove: []graph.Triple{{Head: 3, Relation: 1, Tail: 3}, {Head: 1, Relation: 1, Tail: 1}, {Head: 2, Relation: 1, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}},
	})
	if want := (Changed{Added: 2, Present: 1, Removed: 1, Absent: 1}); err != nil || done != want {
		t.Fatalf("%+v (%v), want %+v", done, err, want)
	}
	if next.Graph.NumTriples() != 5 || next.Manifest.Triples != 5 || next.Heldout.NumTriples() != 0 || next.Manifest.Heldout != 0 {
		t.Errorf("%d facts and %d held back: %+v", next.Graph.NumTriples(), next.Heldout.NumTriples(), next.Manifest)
	}
	if m.Graph.NumTriples() != 4 || m.Manifest.Triples != 4 || m.Heldout.NumTriples() != 1 || m.Graph.Has(2, 0, 3) {
		t.Error("the first model has changed")
	}
	if err := next.validate(); err != nil {
		t.Error(err)
	}
	// A fact that was only held back is removed too.
	if last, done, err := m.With(Change{Remove: []graph.Triple{{Head: 2, Relation: 0, Tail: 3}}}); err != nil || done != (Changed{Removed: 1}) || last.Heldout.NumTriples() != 0 {
		t.Errorf("%+v, error %v", done, err)
	}
	if same, done, err := m.With(Change{Add: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}}}); err != nil || done != (Changed{Present: 1}) || same != m {
		t.Errorf("nothing changes: %+v, error %v", done, err)
	}
	for _, bad := range []graph.Triple{{Head: 5, Relation: 0, Tail: 0}, {Head: 0, Relation: 2, Tail: 0}, {Head: 0, Relation: 0, Tail: -1}} {
		if _, _, err := m.With(Change{Add: []graph.Triple{{Head: 3, Relation: 0, Tail: 3}, bad}}); err == nil {
			t.Errorf("%v was added", bad)
		}
	}
	m.Close()
	if !next.Closed() {
		t.Error("the model that was made of a closed one is open")
	}
	if _, _, err := next.With(Change{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed model was changed: %v", err)
	}
}
