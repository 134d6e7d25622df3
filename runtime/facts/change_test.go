package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// change is a change, and what comes of it.
type change struct {
	key   string
	add   []facts.Fact
	enter bool
	err   error
}

// makeAll makes changes in turn.
func makeAll(t *testing.T, s *facts.Store, changes ...*change) {
	t.Helper()
	for _, c := range changes {
		do := s.Change
		if c.enter {
			do = s.Enter
		}
		_, c.err = do(t.Context(), c.key, c.add, nil)
	}
}

// TestChangeKeys refuses keys that the journal cannot hold.
func TestChangeKeys(t *testing.T) {
	m, s := open(t, town(t, 9))
	bad := []*change{
		{key: "\xff", add: list(near(1, 3))}, {key: "é", add: list(near(1, 3))}, {key: "a\x00b", add: list(near(1, 3))},
		{key: strings.Repeat("k", facts.MaxKey+1), add: list(near(1, 3))},
	}
	good := []*change{{key: "k 1", add: list(near(2, 3))}, {key: "~", add: list(near(2, 4))}, {add: list(near(2, 5))}}
	makeAll(t, s, append(bad, good...)...)
	for _, c := range bad {
		if c.err == nil || !strings.Contains(c.err.Error(), "key ") {
			t.Errorf("key %.9q: error %v", c.key, c.err)
		}
	}
	for _, c := range good {
		if c.err != nil {
			t.Errorf("key %q: error %v", c.key, c.err)
		}
	}
	if has(m, 1, 3) || !has(m, 2, 3) || !has(m, 2, 4) || !has(m, 2, 5) {
		t.Error("the wrong facts were added")
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
		EntityNames: names, EntityLabels: labels, RelationNames: []string{"near"}, RelationRows: []float32{1, 0, 1, 0}, Facts: []model.Triple{{Tail: 1}},
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
	facts := func(names []string, tails ...int) (all []facts.Fact) {
		for _, tail := range tails {
			all = append(all, facts.Fact{names[3], "near", names[tail]})
		}
		return all
	}
	changes := []*change{
		{add: facts(names, 1, 2, 3)}, {add: facts(labels, 0)}, {add: facts(labels, 1, 2, 3)}, {add: facts(labels, 1)},
		{add: facts(labels, 2)}, {key: "k", add: facts(labels, 0)},
	}
	makeAll(t, s, changes...)
	for i, c := range changes {
		if tooLarge := len(c.add) > 1; tooLarge != errors.Is(c.err, journal.ErrTooLarge) || !tooLarge && c.err != nil {
			t.Errorf("change %d: error %v", i, c.err)
		}
	}
	for tail := range n {
		if has(m, 3, tail) != (tail < 3) {
			t.Errorf("fact %d is there: %v", tail, tail == 3)
		}
	}
	s.Close()
	if c, err := journal.Read(journal.Path(path), m.Identity()); err != nil || len(c.Batches) != 4 {
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
	m.Now().Predictor.RelationTable = nil // the rows of new entities cannot be made
	faulty := &change{add: list(facts.Fact{"new", "near", "e1"}), enter: true}
	others := []*change{{add: list(near(2, 3))}, {key: "k", add: list(near(2, 4))}}
	makeAll(t, s, others[0], faulty, others[1])
	if fault, ok := errors.AsType[*query.PanicError](faulty.err); !ok || len(fault.Stack) == 0 {
		t.Errorf("error %v", faulty.err)
	}
	for _, c := range others {
		if c.err != nil {
			t.Errorf("error %v", c.err)
		}
	}
	if done, err := s.Change(t.Context(), "k", list(near(2, 4)), nil); err != nil || !done.Repeated {
		t.Errorf("%+v, error %v", done, err)
	}
	again := reopened(t, path)
	for _, m := range []*query.Model{m, again} {
		if !has(m, 2, 3) || !has(m, 2, 4) || m.Now().NumEntities() != 9 {
			t.Error("the wrong facts were added")
		}
	}
}
