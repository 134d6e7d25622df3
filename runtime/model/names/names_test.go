package names

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

func newTestNames(t testing.TB, names, labels []string) *Names {
	t.Helper()
	x, err := New("entity", names, labels)
	require.NoError(t, err)
	return x
}

func TestNames(t *testing.T) {
	x := newTestNames(t, []string{"/m/b", "/m/a", "/m/c", "/m/d"}, []string{"Berlin", "", "Paris", "Paris"})
	if x.Len() != 4 || x.Numbered() || !x.hasLabels() {
		t.Errorf("got %d names", x.Len())
	}
	for id, want := range []string{"Berlin", "/m/a", "Paris", "Paris"} {
		if got := x.Label(int32(id)); got != want {
			t.Errorf("label %d is %q, want %q", id, got, want)
		}
	}
	for name, want := range map[string]int32{"/m/a": 1, "/m/b": 0, "/m/d": 3, "Berlin": 0} {
		if id, err := x.Find(name); err != nil || id != want {
			t.Errorf("Find(%q) = %d, %v, want %d", name, id, err, want)
		}
	}
	for text, want := range map[string]bool{"": true, "/m/": true, "/m/d": true, "/m/aa": false, "Ber": false, "z": false, "!": false} {
		if x.StartsWith(text) != want || Numbered("entity", 4).StartsWith(text) {
			t.Errorf("StartsWith(%q) is %v, want %v, and of numbers false", text, !want, want)
		}
	}
	var ambiguous *AmbiguousError
	if _, err := x.Find("Paris"); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, []string{"/m/c", "/m/d"}) {
		t.Errorf("error is %v", err)
	}
	if text := ambiguous.Error(); text != `entity label "Paris" is ambiguous; use one of the names "/m/c" or "/m/d"` {
		t.Error(text)
	}
	for _, name := range []string{"", "/m/e", "berlin"} {
		if _, err := x.Find(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("Find(%q): error is %v", name, err)
		}
	}
}

// TestNamesNormalForms looks for names and labels in both normal forms of Unicode, where
// the names are in one, the other, or are two that differ in nothing else.
func TestNamesNormalForms(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	for _, name := range []string{composed, decomposed} {
		for _, x := range []*Names{newTestNames(t, []string{"a", name}, nil), newTestNames(t, []string{"a", "b"}, []string{"", name})} {
			for _, text := range []string{composed, decomposed} {
				if id, err := x.Find(text); err != nil || id != 1 {
					t.Errorf("%+q among names with %+q: %d, %v", text, name, id, err)
				}
			}
		}
	}
	both := newTestNames(t, []string{composed, decomposed}, nil)
	for want, text := range []string{composed, decomposed} {
		if id, err := both.Find(text); err != nil || id != int32(want) {
			t.Errorf("%+q is %d, %v, want %d", text, id, err, want)
		}
	}
	x := newTestNames(t, []string{"a", "b", "c"}, []string{"", composed, composed})
	var ambiguous *AmbiguousError
	if _, err := x.Find(decomposed); !errors.As(err, &ambiguous) {
		t.Errorf("of two entities with that label the error is %v", err)
	}
	var unknown *UnknownError
	if _, err := x.Find("th\u00e9"); !errors.As(err, &unknown) || unknown.Name != "th\u00e9" {
		t.Errorf("error is %v, want one with the name as it is written", err)
	}
}

func TestNumbered(t *testing.T) {
	x := Numbered("entity", 12)
	if id, err := x.Find("11"); err != nil || id != 11 || x.Name(11) != "11" || x.Label(11) != "11" || !x.Numbered() {
		t.Errorf("got %d, %v", id, err)
	}
	for _, name := range []string{"12", "-1", "01", "+1", "", "x", "99999999999999999999"} {
		_, err := x.Find(name)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "numbers 0 to 11") {
			t.Errorf("Find(%q): error is %v", name, err)
		}
	}
	if x.Nearest("1", 3) != nil {
		t.Error("suggested a number")
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		want          string
		names, labels []string
	}{
		{"ids 0 and 2 are both named \"a\"", []string{"a", "b", "a"}, nil},
		{"id 1", []string{"a", ""}, nil},
		{"id 0", []string{"a\tb"}, nil},
		{"id 0", []string{"\xff"}, nil},
		{"1 entity labels for 2", []string{"a", "b"}, []string{"x"}},
		{"entity labels: id 1", []string{"a", "b"}, []string{"x", "\n"}},
	} {
		if _, err := New("entity", c.names, c.labels); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// TestNamesMap compares names with maps.
func TestNamesMap(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-cé]{0,3}`)
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-cé]{1,4}`), 1, 20, rapid.ID).Draw(t, "names")
		labels := rapid.SliceOfN(text, len(names), len(names)).Draw(t, "labels")
		x, err := New("entity", names, labels)
		require.NoError(t, err)
		require.NoError(t, x.names.Check(len(names), true))
		if x.hasLabels() {
			require.NoError(t, x.labels.Check(len(names), false))
		}
		name := rapid.OneOf(text, rapid.SampledFrom(names)).Draw(t, "name")
		id, err := x.Find(name)
		count := 0
		for _, label := range labels {
			if label == name && name != "" {
				count++
			}
		}
		var ambiguous *AmbiguousError
		switch at := slices.Index(names, name); {
		case at >= 0:
			if err != nil || int(id) != at {
				t.Fatalf("Find(%q) = %d, %v, want name %d", name, id, err, at)
			}
		case count == 1:
			if err != nil || labels[id] != name {
				t.Fatalf("Find(%q) = %d, %v", name, id, err)
			}
		case count > 1:
			if !errors.As(err, &ambiguous) || ambiguous.Count != count || len(ambiguous.Candidates) != min(count, MaxCandidates) {
				t.Fatalf("Find(%q): error is %v", name, err)
			}
		case !errors.Is(err, ErrUnknown):
			t.Fatalf("Find(%q) = %d, %v", name, id, err)
		}
		// What is suggested can be looked up.
		for _, near := range x.Nearest(name, 3) {
			if _, err := x.Find(near); err != nil {
				t.Fatalf("suggested %q for %q: %v", near, name, err)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	x := newTestNames(t, []string{"/m/1", "/m/2", "/m/3", "/m/4", "/m/5"},
		[]string{"Dominican Republic", "Czech Republic", "Dominica", "Köln", "Köln"})
	relations := newTestNames(t, []string{"/location/country/form_of_government", "/film/film/genre", "/film/actor/film"}, nil)
	for _, c := range []struct {
		in   *Names
		name string
		want []string
	}{
		{x, "dominican republic", []string{"Dominican Republic"}},
		{x, "Domincan Republic", []string{"Dominican Republic"}},
		{x, "dominic", []string{"Dominica", "Dominican Republic"}},
		{x, "republic", []string{"Czech Republic", "Dominican Republic"}},
		{x, "KÖLN", []string{"/m/4", "/m/5"}},
		{x, "Koeln", nil},
		{x, "koln", []string{"/m/4", "/m/5"}},
		{x, "Atlantis", nil},
		{x, "", nil},
		{x, strings.Repeat("x", 1000), nil},
		{relations, "form_of_government", []string{"/location/country/form_of_government"}},
		{relations, "film genre", []string{"/film/film/genre"}},
	} {
		if got := c.in.Nearest(c.name, 2); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSlips replaces one letter of a name, of whatever script.
func TestSlips(t *testing.T) {
	letters := []rune("aeouäöüéñøłλжя漢字ア")
	seed.Check(t, func(t *rapid.T) {
		name := rapid.SliceOfN(rapid.SampledFrom(letters), 3, 12).Draw(t, "name")
		slip := slices.Clone(name)
		slip[rapid.IntRange(0, len(name)-1).Draw(t, "at")] = rapid.SampledFrom(letters).Draw(t, "letter")
		x, err := New("entity", []string{string(name)}, nil)
		if got := x.Nearest(string(slip), 1); err != nil || !slices.Equal(got, []string{string(name)}) {
			t.Fatalf("Nearest(%q) = %q, want %q; %v", string(slip), got, string(name), err)
		}
	})
}

// TestSearch looks for names that are typed half.
func TestSearch(t *testing.T) {
	x := newTestNames(t, []string{"/m/1", "/m/2", "/m/3", "/m/4", "/m/5"},
		[]string{"Iran", "France", "French Guiana", "San Francisco", "Köln"})
	for _, c := range []struct {
		text string
		max  int
		want []int32
	}{
		{"fran", 9, []int32{1, 0, 3, 2}}, // start, a slip, in the middle, a slip in the start
		{"FRANCE", 9, []int32{1}},
		{"fran", 1, []int32{1}},
		{"frnech g", 9, []int32{2}},
		{"köl", 9, []int32{4}},
		{"/m/5", 9, []int32{4, 0, 1, 2, 3}},
		{"", 9, nil},
		{"fran", 0, nil},
		{strings.Repeat("x", 1000), 9, nil},
	} {
		if got := x.Search(c.text, c.max); !slices.Equal(got, c.want) {
			t.Errorf("Search(%q, %d) = %d, want %d", c.text, c.max, got, c.want)
		}
	}
	if got := Numbered("entity", 3).Search("1", 5); got != nil {
		t.Errorf("among numbers %d was found", got)
	}
}
