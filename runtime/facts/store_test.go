package facts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// town is a bundle of some entities, a relation and no fact but 0 near 1.
func town(t *testing.T, n int) (path string) {
	t.Helper()
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("e", i))
	}
	m := modeltest.New(t, modeltest.Spec{
		EntityNames: names, RelationNames: []string{"near"}, RelationRows: []float32{1, 0, 1, 0},
		Facts: []graph.Triple{{Tail: 1}}, Heldout: []graph.Triple{{Head: 1, Tail: 2}},
	})
	path = filepath.Join(t.TempDir(), "town.efoc")
	require.NoError(t, model.Save(t.Context(), path, m, nil))
	return path
}

// open opens a bundle and its store.
func open(t *testing.T, path string) (*runtime.Model, *facts.Store) {
	t.Helper()
	m, err := runtime.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	s, err := facts.Open(path, m)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return m, s
}

func near(head, tail int) facts.Fact {
	return facts.Fact{fmt.Sprint("e", head), "near", fmt.Sprint("e", tail)}
}

func list(f ...facts.Fact) []facts.Fact { return f }

// near reports whether a model has a fact.
func has(m *runtime.Model, head, tail int) bool {
	return m.Now().Bundle().Graph.Has(graph.EntityID(head), 0, graph.EntityID(tail))
}

// reopened opens the bundle once more, as another program would.
func reopened(t *testing.T, path string) *runtime.Model {
	t.Helper()
	m, err := runtime.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// TestChange changes facts, by their names, from either end, and finds them when the bundle is opened
// again; a refused change changes nothing.
func TestChange(t *testing.T) {
	path := town(t, 5)
	m, s := open(t, path)
	done, err := s.Apply(t.Context(), facts.Change{Add: list(near(1, 2), near(0, 1), facts.Fact{"e4", "near^-1", "e3"}), Remove: list(near(2, 2))})
	if want := (model.Changed{Added: 2, Present: 1, Absent: 1}); err != nil || done.Changed != want {
		t.Fatalf("%+v, error %v, want %+v", done, err, want)
	}
	for _, c := range []struct {
		add, remove []facts.Fact
		want        string
		index       int
	}{
		{list(near(2, 3), near(2, 9)), nil, `add[1].tail: unknown entity "e9"`, 1},
		{list(near(2, 3)), list(facts.Fact{"e1", "neer", "e2"}), `remove[0].relation: unknown relation "neer"; did you mean "near"?; a link predictor knows only the relations that it was trained on`, 0},
		{list(facts.Fact{"", "near", "e1"}), nil, `add[0].head: the name is empty`, 0},
		{list(near(1, 2), facts.Fact{"e1", "near", "e\x01"}), nil, `add[1].tail: the name has the character U+0001`, 1},
		{nil, list(facts.Fact{"e\xff", "near", "e1"}), `remove[0].head: the name is not in UTF-8`, 0},
		{list(facts.Fact{"e1", "near", strings.Repeat("x", facts.MaxName+1)}), nil, `add[0].tail: the model has no name of these 4097 bytes, and a new one has at most 4096`, 0},
		{list(facts.Fact{"e1", strings.Repeat("x", facts.MaxName+1), "e1"}), nil, `add[0].relation: the model has no name of these 4097 bytes`, 0},
	} {
		_, err := s.Apply(t.Context(), facts.Change{Add: c.add, Remove: c.remove})
		wrong, ok := errors.AsType[*facts.NameError](err)
		if !ok || wrong.Index != c.index || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	for _, m := range []*runtime.Model{m, reopened(t, path)} {
		if !has(m, 1, 2) || !has(m, 3, 4) || has(m, 2, 3) || m.Now().Bundle().Graph.NumTriples() != 3 || m.Now().Bundle().Heldout.NumTriples() != 0 {
			t.Errorf("%d facts, %d held back", m.Now().Bundle().Graph.NumTriples(), m.Now().Bundle().Heldout.NumTriples())
		}
	}
	follower := reopened(t, path)
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(2, 3)), Remove: list(near(1, 2))}); err != nil {
		t.Fatal(err)
	}
	if err := facts.Follow(path, follower); err != nil || !has(follower, 2, 3) || has(follower, 1, 2) {
		t.Errorf("a model does not follow the journal: %v", err)
	}
	s.Close()
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(3, 3))}); !errors.Is(err, facts.ErrClosed) {
		t.Errorf("a closed store: error %v", err)
	}
}

// TestKeys makes changes again under the same keys, also after opening and after compaction.
func TestKeys(t *testing.T) {
	path := town(t, 5)
	_, s := open(t, path)
	first, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3))})
	if err != nil || first.Repeated || first.Added != 1 {
		t.Fatalf("%+v, error %v", first, err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Remove: list(near(1, 3))}); err != nil {
		t.Fatal(err)
	}
	check := func(what string, m *runtime.Model, s *facts.Store) {
		t.Helper()
		again, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3))})
		if err != nil || !again.Repeated || again.Changed != first.Changed || has(m, 1, 3) {
			t.Errorf("%s: %+v, error %v", what, again, err)
		}
		if _, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 4))}); !errors.Is(err, facts.ErrKey) {
			t.Errorf("%s: another change with the key: error %v", what, err)
		}
		s.Close()
	}
	m, s2 := open(t, path)
	check("opened again", m, s2)
	s.Close()
	if changes, err := facts.Compact(t.Context(), path, nil); err != nil || changes != 2 {
		t.Fatalf("%d changes, error %v", changes, err)
	}
	m, s2 = open(t, path)
	check("compacted", m, s2)
}

// TestTogether makes changes from many goroutines at once. Each is acknowledged once it can
// be read in the file.
func TestTogether(t *testing.T) {
	const n, writers, each = 40, 16, 12
	path := town(t, n)
	m, s := open(t, path)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				key := ""
				if w%2 == 0 {
					key = fmt.Sprint("key ", w/4, " ", i) // two writers make the same changes
				}
				head := w
				if key != "" {
					head = w / 4
				}
				if _, err := s.Apply(t.Context(), facts.Change{Key: key, Add: list(near(head, i+10), near(head, i+20))}); err != nil {
					t.Error(err)
					return
				}
				if c, err := journal.Read(journal.Path(path), m.Bundle().Identity()); err != nil || len(c.Batches) == 0 || !has(m, head, i+10) || !has(m, head, i+20) {
					t.Errorf("an acknowledged change cannot be read: %v", err)
				}
				if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(head, n))}); err == nil {
					t.Error("a fact of an unknown entity was added")
				}
			}
		})
	}
	wg.Wait()
	again := reopened(t, path)
	if got, want := again.Bundle().Graph.NumTriples(), m.Now().Bundle().Graph.NumTriples(); got != want {
		t.Errorf("opened again it has %d facts, want %d", got, want)
	}
}

// TestCompactCrash stops a compaction at every step: no fact is lost, none comes twice, and
// it can be done again.
func TestCompactCrash(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		name string
		do   func(path string, m *runtime.Model, w *journal.Writer) error
	}{
		{"before the mark", func(path string, m *runtime.Model, w *journal.Writer) error {
			return model.Replace(context.Background(), path, m.Bundle(), nil, func(string) error { return stop })
		}},
		{"before the bundle has its name", func(path string, m *runtime.Model, w *journal.Writer) error {
			return model.Replace(context.Background(), path, m.Bundle(), nil, func(is string) error { return errors.Join(w.Mark(is, w.Last()), stop) })
		}},
		{"before the journal is empty", func(path string, m *runtime.Model, w *journal.Writer) error {
			return errors.Join(model.Replace(context.Background(), path, m.Bundle(), nil, func(is string) error { return w.Mark(is, w.Last()) }), stop)
		}},
		{"never", func(path string, _ *runtime.Model, w *journal.Writer) error { return stop }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := town(t, 6)
			_, s := open(t, path)
			if _, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3), near(2, 3)), Remove: list(near(0, 1))}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			m := reopened(t, path)
			w, _, err := journal.Open(journal.Path(path), m.Bundle().Identity())
			require.NoError(t, err)
			if err := c.do(path, m, w); !errors.Is(err, stop) {
				t.Fatal(err)
			}
			w.Close()
			check := func(what string, more int) {
				t.Helper()
				m := reopened(t, path)
				if !has(m, 1, 3) || !has(m, 2, 3) || has(m, 0, 1) || m.Bundle().Graph.NumTriples() != 2+more {
					t.Errorf("%s: %d facts", what, m.Bundle().Graph.NumTriples())
				}
			}
			check("after the crash", 0)
			_, s = open(t, path)
			if again, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3), near(2, 3)), Remove: list(near(0, 1))}); err != nil || !again.Repeated {
				t.Errorf("%+v, error %v", again, err)
			}
			if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(4, 4))}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			check("with another fact", 1)
			for range 2 {
				if _, err := facts.Compact(t.Context(), path, nil); err != nil {
					t.Fatal(err)
				}
				check("compacted", 1)
				bare, err := os.ReadFile(path)
				require.NoError(t, err)
				if m, err := model.OpenBytes("bare", bare); err != nil || m.Graph.NumTriples() != 3 {
					t.Errorf("the bundle alone has not all facts: %v", err)
				}
			}
		})
	}
}

// TestCompactUnderLoad compacts again and again while facts and entities are added: acknowledged facts
// are there whenever the bundle is opened, and in the end the bundle alone has everything that the
// last compaction saw.
func TestCompactUnderLoad(t *testing.T) {
	const n, writers, each = 40, 4, 40
	path := town(t, n)
	m, s := open(t, path)
	done := make(chan struct{})
	var compacting, wg sync.WaitGroup
	compactions := 0
	compacting.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := s.Compact(t.Context(), nil); err != nil {
				t.Error(err)
				return
			}
			compactions++
		}
	})
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if i%8 == 0 {
					name := fmt.Sprint("new ", w, " ", i)
					if _, err := s.Apply(t.Context(), facts.Change{Add: list(facts.Fact{name, "near", "e1"}), New: true}); err != nil {
						t.Error(err)
						return
					}
				}
				if _, err := s.Apply(t.Context(), facts.Change{Key: fmt.Sprint("key ", w, " ", i), Add: list(near(w, i%n))}); err != nil {
					t.Error(err)
					return
				}
				if i%8 > 0 {
					continue
				}
				again, err := runtime.Open(path)
				if err != nil || !has(again, w, i%n) {
					t.Errorf("an acknowledged fact is not there: %v", err)
					return
				}
				again.Close()
			}
		})
	}
	wg.Wait()
	close(done)
	compacting.Wait()
	if _, err := s.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Apply(t.Context(), facts.Change{Key: "key 3 39", Add: list(near(3, 39))}); err != nil || !again.Repeated {
		t.Errorf("%+v, error %v", again, err)
	}
	if c, err := journal.Read(journal.Path(path), m.Now().Bundle().Identity()); err != nil || len(c.Batches) != 0 || len(c.Before) != writers*each {
		t.Errorf("the journal has %d changes that the bundle lacks, and %d keys; error %v", len(c.Batches), len(c.Before), err)
	}
	again := reopened(t, path)
	want := m.Now()
	if again.Bundle().Identity() != want.Bundle().Identity() || again.NumEntities() != want.NumEntities() || again.Bundle().Graph.NumTriples() != want.Bundle().Graph.NumTriples() ||
		!slices.Equal(again.Bundle().Predictor.EntityTable.Float32s(), want.Bundle().Predictor.EntityTable.Float32s()) {
		t.Errorf("the bundle has %d entities and %d facts, want %d and %d", again.NumEntities(), again.Bundle().Graph.NumTriples(), want.NumEntities(), want.Bundle().Graph.NumTriples())
	}
	t.Logf("%d compactions", compactions)
}

// TestCompactErrors ends compactions that cannot be done: all goes on as before.
func TestCompactErrors(t *testing.T) {
	path := town(t, 5)
	m, s := open(t, path)
	before := m.Bundle().Identity()
	if changes, err := s.Compact(t.Context(), nil); err != nil || changes != 0 {
		t.Errorf("%d changes, error %v", changes, err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(1, 3))}); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.Compact(ended, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(1, 4))}); err != nil || m.Now().Bundle().Identity() != before {
		t.Fatal(err)
	}
	if again := reopened(t, path); again.Bundle().Identity() != before || !has(again, 1, 3) || !has(again, 1, 4) {
		t.Error("facts are lost")
	}
	s.Close()
	if _, err := s.Compact(t.Context(), nil); !errors.Is(err, facts.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// TestOpenErrors opens what does not belong together.
func TestOpenErrors(t *testing.T) {
	path, other := town(t, 5), town(t, 6)
	_, s := open(t, path)
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(near(1, 3))}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	require.NoError(t, os.Rename(other, path))
	if _, err := runtime.Open(path); err == nil || !strings.Contains(err.Error(), "town.efoc.journal: it belongs to another bundle") {
		t.Errorf("error %v", err)
	}
	release, err := facts.Lock(path)
	require.NoError(t, err)
	if _, err := facts.Compact(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), "is being written by another program") {
		t.Errorf("error %v", err)
	}
	release()
}

// TestEnter adds entities with their first facts: others that open the bundle or follow its
// journal have them with the same rows, also after compaction. What is refused leaves none.
func TestEnter(t *testing.T) {
	path := town(t, 5)
	m, s := open(t, path)
	before := m.Now()
	follower := reopened(t, path)
	refused := list(facts.Fact{"new", "near", "e1"}, facts.Fact{"new", "neer", "e1"})
	if _, err := s.Apply(t.Context(), facts.Change{Add: refused, New: true}); err == nil || !strings.Contains(err.Error(), `add[1].relation: unknown relation "neer"`) || m.Now() != before {
		t.Errorf("error %v", err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Remove: list(facts.Fact{"new", "near", "e1"}), New: true}); err == nil || !strings.Contains(err.Error(), `remove[0].head: unknown entity "new"`) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(facts.Fact{"#77", "near", "e1"}), New: true}); err == nil || !strings.Contains(err.Error(), "#77") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Apply(t.Context(), facts.Change{Add: list(facts.Fact{"new", "near", "e1"})}); !errors.Is(err, facts.ErrNoNew) {
		t.Errorf("error %v", err)
	}
	var many []facts.Fact
	for i := range 1001 {
		many = append(many, facts.Fact{"e1", "near", fmt.Sprint("new ", i)})
	}
	for _, c := range []struct {
		add  []facts.Fact
		want string
	}{
		{many, "add[1000].tail: more than 1000 new entities"},
		{list(near(1, 3), facts.Fact{"", "near", "e1"}), "add[1].head: the name is empty"},
		{list(facts.Fact{"new\n", "near", "e1"}), "add[0].head: the name has the character U+000A"},
		{list(facts.Fact{"new\u0085", "near", "e1"}), "add[0].head: the name has the character U+0085"},
		{list(facts.Fact{"e1", "near", "\u009bnew"}), "add[0].tail: the name has the character U+009B"},
		{list(near(1, 3), facts.Fact{"e1", "near", "n\u2028w"}), "add[1].tail: the name has the character U+2028"},
		{list(facts.Fact{"e1", "near", "n\u2029w"}), "add[0].tail: the name has the character U+2029"},
		{list(facts.Fact{"new \u202egnp.exe", "near", "e1"}), "add[0].head: the name has the character U+202E"},
		{list(facts.Fact{"\u2066new", "near", "e1"}), "add[0].head: the name has the character U+2066"},
		{list(facts.Fact{strings.Repeat("x", facts.MaxName+1), "near", "e1"}), "add[0].head: the model has no name of these 4097 bytes"},
	} {
		if _, err := s.Apply(t.Context(), facts.Change{Add: c.add, New: true}); err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, new(*facts.NameError)) || m.Now() != before {
			t.Errorf("error %.100v, want %s", err, c.want)
		}
	}
	done, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3), facts.Fact{"new", "near", "e1"}, facts.Fact{"newer", "near^-1", "new"}), New: true})
	if err != nil || done.Added != 3 || !slices.Equal(done.Entities, []string{"new", "newer"}) {
		t.Fatalf("%+v, error %v", done, err)
	}
	if again, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(near(1, 3), facts.Fact{"new", "near", "e1"}, facts.Fact{"newer", "near^-1", "new"}), New: true}); err != nil || !again.Repeated {
		t.Errorf("%+v, error %v", again, err)
	}
	if done, err := s.Apply(t.Context(), facts.Change{Add: list(facts.Fact{"third", "near", "newer"}), New: true}); err != nil || done.Added != 1 {
		t.Fatalf("%+v, error %v", done, err)
	}
	check := func(what string, got *runtime.Model) {
		t.Helper()
		now, want := got.Now(), m.Now()
		if now.NumEntities() != 8 || now.EntityName(6) != "newer" || !now.Bundle().Graph.Has(5, 0, 1) || !now.Bundle().Graph.Has(5, 0, 6) || !now.Bundle().Graph.Has(7, 0, 6) {
			t.Fatalf("%s: %d entities", what, now.NumEntities())
		}
		if !slices.Equal(now.Bundle().Predictor.EntityTable.Float32s(), want.Bundle().Predictor.EntityTable.Float32s()) || !slices.Equal(now.Bundle().Predictor.EntityNorms, want.Bundle().Predictor.EntityNorms) {
			t.Errorf("%s: rows are others", what)
		}
	}
	check("the model", m)
	check("opened again", reopened(t, path))
	for range 2 {
		require.NoError(t, facts.Follow(path, follower))
		check("a follower", follower)
	}
	s.Close()
	if _, err := facts.Compact(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	check("compacted", reopened(t, path))
}

// same compares values.
func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}
