package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestChangeKeys refuses keys that the journal cannot hold.
func TestChangeKeys(t *testing.T) {
	m, s := open(t, town(t, 9))
	for i, c := range []struct {
		key  string
		good bool
	}{{"\xff", false}, {"é", false}, {"a\x00b", false}, {strings.Repeat("k", facts.MaxKey+1), false}, {"k 1", true}, {"~", true}, {"", true}} {
		_, err := s.Apply(t.Context(), facts.Change{Key: c.key, Add: list(near(2, i+2))})
		if has(m, 2, i+2) != c.good || (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "key ") {
			t.Errorf("key %.9q: error %v", c.key, err)
		}
	}
}

// longNames is a bundle whose entities l0, l1, … have names of some bytes.
func longNames(t *testing.T, n, size int) (path string, names []string) {
	t.Helper()
	var labels []string
	for i := range n {
		names, labels = append(names, strings.Repeat("x", size)+fmt.Sprint(i)), append(labels, fmt.Sprint("l", i))
	}
	m := modeltest.New(t, modeltest.Spec{
		EntityNames: names, EntityLabels: labels, RelationNames: []string{"near"}, RelationRows: []float32{1, 0, 1, 0}, Facts: []graph.Triple{{Tail: 1}},
	})
	path = filepath.Join(t.TempDir(), "long.efoc")
	require.NoError(t, model.Save(t.Context(), path, m, nil))
	return path, names
}

// TestChangeBytes refuses a change that takes more than a record, also one that is short but names
// entities by labels.
func TestChangeBytes(t *testing.T) {
	const each, n = journal.MaxRecord / 5, 4
	path, names := longNames(t, n, each)
	m, s := open(t, path)
	labels := []string{"l0", "l1", "l2", "l3"}
	// Each fact takes two fifths of a record.
	some := func(names []string, tails ...int) (all []facts.Fact) {
		for _, tail := range tails {
			all = append(all, facts.Fact{names[3], "near", names[tail]})
		}
		return all
	}
	for i, c := range []struct {
		key      string
		add      []facts.Fact
		tooLarge bool
	}{
		{"", some(names, 1, 2, 3), true}, {"", some(labels, 0), false}, {"", some(labels, 1, 2, 3), true}, {"", some(labels, 1), false},
		{"", some(labels, 2), false}, {"k", some(labels, 0), false},
	} {
		if _, err := s.Apply(t.Context(), facts.Change{Key: c.key, Add: c.add}); c.tooLarge != errors.Is(err, journal.ErrTooLarge) || !c.tooLarge && err != nil {
			t.Errorf("change %d: error %v", i, err)
		}
	}
	for tail := range n {
		if has(m, 3, tail) != (tail < 3) {
			t.Errorf("fact %d is there: %v", tail, tail == 3)
		}
	}
	s.Close()
	if c, err := journal.Read(journal.Path(path), m.Bundle().Identity()); err != nil || len(c.Batches) != 4 {
		t.Errorf("the journal has %d changes, error %v", len(c.Batches), err)
	}
	text, err := os.ReadFile(journal.Path(path))
	require.NoError(t, err)
	for _, line := range bytes.Split(text[:len(text)-1], []byte("\n")) {
		if len(line) > journal.MaxRecord {
			t.Errorf("a record of %d bytes", len(line))
		}
	}
}

// A change that panics fails alone, and further ones are made.
func TestChangePanic(t *testing.T) {
	path := town(t, 9)
	m, s := open(t, path)
	m.Now().Bundle().Predictor.RelationTable = nil // the rows of new entities cannot be made
	_, before := s.Apply(t.Context(), facts.Change{Add: list(near(2, 3))})
	_, err := s.Apply(t.Context(), facts.Change{Add: list(facts.Fact{"new", "near", "e1"}), New: true})
	if fault, ok := errors.AsType[*runtime.PanicError](err); !ok || len(fault.Stack) == 0 {
		t.Errorf("error %v", err)
	}
	_, after := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(2, 4))})
	require.NoError(t, errors.Join(before, after))
	if done, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(2, 4))}); err != nil || !done.Repeated {
		t.Errorf("%+v, error %v", done, err)
	}
	again := reopened(t, path)
	for _, m := range []*runtime.Model{m, again} {
		if !has(m, 2, 3) || !has(m, 2, 4) || m.Now().NumEntities() != 9 {
			t.Error("the wrong facts were added")
		}
	}
}
