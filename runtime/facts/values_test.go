package facts_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// stated lists the values of a model as text.
func stated(m *runtime.Model) (list []string) {
	now := m.Now().Bundle()
	for v := range now.EachValue {
		list = append(list, fmt.Sprintf("%s %s %s", now.EntityName(v.Entity), v.Attribute, v.Kind.Text(v.Number)))
	}
	return list
}

// TestValues adds, replaces and removes values, and finds them by other programs, after opening and after compaction,
// with who added them as long as the journal knows. Refused changes change nothing.
func TestValues(t *testing.T) {
	const size = `http://x.org/size`
	path := town(t, 5)
	m, s := open(t, path)
	apply := func(want model.Changed, c facts.Change) {
		t.Helper()
		done, err := s.Apply(t.Context(), c)
		require.NoError(t, err)
		same(t, done.Changed, want)
	}
	apply(model.Changed{Added: 4}, facts.Change{New: true, By: "ann", Add: list(near(1, 2),
		facts.Fact{"e1", size, `"12.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`}, facts.Fact{"e2", size, `"7"^^xsd:integer`},
		facts.Fact{"e1", "born", `"1950-06-01"^^xsd:date`})})
	apply(model.Changed{Added: 2, Present: 1}, facts.Change{Add: list(facts.Fact{"e2", "size", " 7.0 "}, facts.Fact{"e2", "size", "8"}, facts.Fact{"e3", "born", "1950"})})
	apply(model.Changed{Added: 1, Removed: 2}, facts.Change{Key: "k", Replace: true, By: "bob", Add: list(facts.Fact{"e2", "size", "9"})})
	apply(model.Changed{Removed: 1, Absent: 1}, facts.Change{Remove: list(facts.Fact{"e1", "size", "12.5"}, facts.Fact{"e1", "size", "13"})})
	want := []string{"e1 born 1950-06-01", "e3 born 1950-01-01", "e2 http://x.org/size 9"}
	same(t, stated(m), want)
	again, err := s.Apply(t.Context(), facts.Change{Key: "k", Replace: true, By: "bob", Add: list(facts.Fact{"e2", "size", "9"})})
	require.NoError(t, err)
	same(t, again.Repeated && again.Removed == 2, true)
	if _, err := s.Apply(t.Context(), facts.Change{Key: "k", Add: list(facts.Fact{"e2", "size", "9"})}); !errors.Is(err, facts.ErrKey) {
		t.Errorf("the key of another change: error %v", err)
	}

	for text, c := range map[string]facts.Change{
		`add[1].tail: http://x.org/size is a number, such as 12.5: "many" is not a number`:                                 {Add: list(near(2, 3), facts.Fact{"e1", "size", "many"})},
		`add[0].tail: http://x.org/size is a number, such as 12.5: "1950" is a date`:                                       {Add: list(facts.Fact{"e1", "size", `"1950"^^xsd:gYear`})},
		`add[0].tail: born is a date, such as "1950-01-31": "12.5" is not a date, such as 1950`:                            {Add: list(facts.Fact{"e1", "born", "12.5"})},
		`add[0].head: unknown entity "e9"`:                                                                                 {Add: list(facts.Fact{"e9", "size", "1"})},
		`add[0].relation: unknown attribute "sise"; did you mean "size"? (the change adds no new names)`:                   {Add: list(facts.Fact{"e1", "sise", "5"})},
		`remove[0].relation: unknown attribute "weight"`:                                                                   {Remove: list(facts.Fact{"e1", "weight", `"5"^^xsd:decimal`}), New: true},
		`untrue[0].relation: values are not marked as not true: remove it`:                                                 {Untrue: list(facts.Fact{"e2", "size", "9"})},
		`add[1].tail: weight is a number, such as 12.5: "1950" is a date`:                                                  {New: true, Add: list(facts.Fact{"e1", "weight", `"5"^^xsd:decimal`}, facts.Fact{"e1", "weight", `"1950"^^xsd:gYear`})},
		`add[1].head: new entity "e9" has no facts to make its row from`:                                                   {New: true, Add: list(near(1, 2), facts.Fact{"e9", "size", "1"})},
		`unknown relation "sise"; a link predictor knows only the relations that`:                                          {Add: list(facts.Fact{"e1", "sise", "e2"})},
		`add[0].tail: http://x.org/size is a number, such as 12.5: 9007199254740993 would be read as 9007199254740992, as`: {Add: list(facts.Fact{"e1", "size", "9007199254740993"})},
		`remove[0].tail: born is a date, such as "1950-01-31": 2020-12-31T23:59:59.9999999Z would be read as 2021-01-01`:   {Remove: list(facts.Fact{"e1", "born", "2020-12-31T23:59:59.9999999Z"})},
		`add[0].tail: id is a number, such as 12.5: 9007199254740993 would be read as 9007199254740992`:                    {New: true, Add: list(facts.Fact{"e1", "id", "9007199254740993"})},
		`the model has no name of these 4097 bytes`:                                                                        {New: true, Add: list(facts.Fact{"e1", strings.Repeat("x", facts.MaxName+1), `"5"^^xsd:decimal`})},
	} {
		if _, err := s.Apply(t.Context(), c); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want %s", err, text)
		}
	}
	done, err := s.Apply(t.Context(), facts.Change{New: true, Add: list(facts.Fact{"e1", "weight", "1950"}, facts.Fact{"e1", "died", "1999-12-31"}, facts.Fact{"e2", "weight", "3"})})
	require.NoError(t, err)
	same(t, done.Attributes, []string{"weight", "died"})
	apply(model.Changed{Removed: 3}, facts.Change{Remove: list(facts.Fact{"e1", "weight", "1950"}, facts.Fact{"e1", "died", "1999-12-31"}, facts.Fact{"e2", "weight", "3"})})
	follower := reopened(t, path)
	same(t, stated(follower), want)
	apply(model.Changed{Removed: 1}, facts.Change{Remove: list(facts.Fact{"e2", "size", "9"})})
	require.NoError(t, facts.Follow(path, follower))
	want = want[:2]
	same(t, stated(follower), want)
	origin := func(m *runtime.Model) *model.Origin {
		return m.Now().Bundle().ValueOrigin(m.Now().Bundle().ValuesOf(1, "born")[0])
	}
	same(t, origin(follower).By, "ann")
	same(t, origin(m).By, "ann")
	require.NoError(t, s.Close())

	_, err = facts.Compact(t.Context(), path, nil)
	require.NoError(t, err)
	compacted, s2 := open(t, path)
	same(t, stated(compacted), want)
	same(t, origin(compacted), (*model.Origin)(nil))
	a, err := compacted.Now().Bundle().Attribute("size") // stays without values
	require.NoError(t, err)
	same(t, a.Values, 0)
	if _, err := s2.Apply(t.Context(), facts.Change{Add: list(facts.Fact{"e2", "size", "9"})}); err != nil {
		t.Error(err)
	}
}

// TestAmbiguousAttributes refuses a local name that two attributes have, rather than enter a third one, and filters by it.
func TestAmbiguousAttributes(t *testing.T) {
	const both = `use one of the names "http://a.org/x#population", "http://b.org/population" or "urn:c:population"`
	m, s := open(t, town(t, 3))
	add := list(facts.Fact{"e0", "http://a.org/x#population", "5"}, facts.Fact{"e0", "http://b.org/population", "6"}, facts.Fact{"e0", "urn:c:population", "-0"})
	local := facts.Fact{"e1", "population", "7"}
	for _, c := range []facts.Change{{Add: append(slices.Clone(add), local)}, {Add: add}, {Add: list(local)}, {Add: list(facts.Fact{"e1", "population", `"7"^^xsd:integer`})}, {Remove: list(local)}} {
		c.New = true
		_, err := s.Apply(t.Context(), c)
		if len(c.Add) == 3 {
			require.NoError(t, err)
			continue
		}
		if wrong, ok := errors.AsType[*facts.NameError](err); !ok || wrong.Part != "relation" || !strings.Contains(err.Error(), both) {
			t.Errorf("%v: error %v", c, err)
		}
	}
	if err := m.Now().Bundle().CheckAttribute("population"); err == nil || !strings.Contains(err.Error(), both) {
		t.Errorf("a filter: error %v", err)
	}
	same(t, stated(m), []string{"e0 http://a.org/x#population 5", "e0 http://b.org/population 6", "e0 urn:c:population 0"})
}

// TestValueNames tells values from facts where a relation and an attribute have one name, and where an entity is
// named by a literal.
func TestValueNames(t *testing.T) {
	m, s := open(t, town(t, 3))
	const literal = `"7"^^<http://www.w3.org/2001/XMLSchema#integer>`
	typed := list(facts.Fact{"e1", "weight", literal})
	for _, c := range []facts.Change{
		{Add: list(facts.Fact{"e0", "near", literal}), New: true}, // an entity, as no attribute has the name
		{Add: typed, New: true},                                   // a value
		{Add: list(facts.Fact{"e2", "near", literal})},            // the same entity
		{Add: list(facts.Fact{"e1", "near", "e2"}, facts.Fact{"e2", "weight", "1e3"})},
	} {
		_, err := s.Apply(t.Context(), c)
		require.NoError(t, err)
	}
	same(t, stated(m), []string{"e1 weight 7", "e2 weight 1000"})
	same(t, m.Now().Bundle().Graph.NumTriples(), 4)
}

// TestValuesTorn cuts the journal at every byte of its last record, which has values: they are there, or none is.
func TestValuesTorn(t *testing.T) {
	path := town(t, 3)
	_, s := open(t, path)
	_, err := s.Apply(t.Context(), facts.Change{New: true, Add: list(facts.Fact{"e1", "size", `"1"^^xsd:decimal`})})
	require.NoError(t, err)
	before, err := os.ReadFile(journal.Path(path))
	require.NoError(t, err)
	_, err = s.Apply(t.Context(), facts.Change{Replace: true, Add: list(facts.Fact{"e1", "size", "2"}, facts.Fact{"e1", "size", "3"}, facts.Fact{"e2", "size", "4"})})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(journal.Path(path))
	require.NoError(t, err)
	for end := len(before); end <= len(whole); end++ {
		require.NoError(t, os.WriteFile(journal.Path(path), whole[:end], 0o600))
		want := []string{"e1 size 1"}
		if end >= len(whole)-1 { // only its newline is missing
			want = []string{"e1 size 2", "e1 size 3", "e2 size 4"}
		}
		if got := stated(reopened(t, path)); !slices.Equal(got, want) {
			t.Fatalf("after %d of %d bytes: %q, want %q", end, len(whole), got, want)
		}
	}
}
