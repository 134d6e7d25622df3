package server

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestFactsBehindLink serves a bundle behind a symbolic link that leads to another one after a
// reload: the lock and the facts go with it.
func TestFactsBehindLink(t *testing.T) {
	first, second := factsConfig(t), factsConfig(t)
	link := filepath.Join(t.TempDir(), "current.efoc")
	if err := os.Symlink(first.File, link); err != nil {
		t.Skip("the system allows no symbolic links: ", err)
	}
	c := first
	c.File = link
	c.Open = func(context.Context) (*runtime.Model, error) { return runtime.Open(link) }
	s, hs := start(t, c)
	add := func(body string) {
		t.Helper()
		if got, text, _ := callWith(t, hs, "POST", "/v1/facts", body, withToken("secret")); got != 200 {
			t.Fatalf("status %d, %s", got, text)
		}
	}
	locked := func(path string) bool {
		release, err := facts.Lock(path)
		if err == nil {
			require.NoError(t, release())
		}
		return err != nil
	}
	has := func(path, head, tail string) bool {
		m, err := runtime.Open(path)
		require.NoError(t, err)
		defer m.Close()
		f, err := m.Now().Bundle().Fact(facts.Fact{head, "borders", tail})
		require.NoError(t, err)
		return m.Now().Bundle().Graph.Has(f.Head, graph.RelationID(2*f.Relation), f.Tail)
	}

	add(`{"add": [["Peru", "borders", "Poland"]]}`)
	if !locked(first.File) || locked(second.File) {
		t.Error("the lock is not that of the first bundle")
	}
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(second.File, link))
	require.NoError(t, s.Reload(t.Context()))
	add(`{"add": [["Peru", "borders", "Spain"]]}`)
	if locked(first.File) || !locked(second.File) {
		t.Error("the lock is not that of the second bundle")
	}
	if !has(first.File, "Peru", "Poland") || has(first.File, "Peru", "Spain") || has(second.File, "Peru", "Poland") || !has(second.File, "Peru", "Spain") {
		t.Error("the facts are not where they were added")
	}
}
