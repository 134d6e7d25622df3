package model

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestOpenReplaced replaces the bundle, and begins its journal, after the bundle was read and before
// its journal is: Open returns the new bundle, though the new journal has no facts.
func TestOpenReplaced(t *testing.T) {
	old := smallModel(t)
	path := filepath.Join(t.TempDir(), "small.efoc")
	require.NoError(t, Save(t.Context(), path, old, nil))
	next, done, err := old.With(Change{Remove: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}}})
	if err != nil || done.Removed != 1 {
		t.Fatalf("%+v, error %v", done, err)
	}
	opened := 0
	m, err := openWithJournal(path, func() (*Model, os.FileInfo, error) {
		m, file, err := openFile(path, openOptions{})
		if opened++; err != nil || opened > 1 {
			return m, file, err
		}
		var identity string
		require.NoError(t, Replace(t.Context(), path, next, nil, func(is string) error { identity = is; return nil }))
		w, _, err := journal.Open(journal.Path(path), identity)
		require.NoError(t, err)
		return m, file, w.Close()
	})
	require.NoError(t, err)
	defer m.Close()
	if opened != 2 || m.Graph.NumTriples() != old.Graph.NumTriples()-1 {
		t.Errorf("opened %d times, %d facts, want 2 and %d", opened, m.Graph.NumTriples(), old.Graph.NumTriples()-1)
	}
}
