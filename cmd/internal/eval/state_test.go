package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// smallSet has two queries.
func smallSet(t testing.TB) (*queryset.Set, Config) {
	t.Helper()
	m := blankModel(t)
	q := queryset.Case{Args: args(t, "1p", nil), Hard: []int32{3, 4}}
	return &queryset.Set{Groups: []*queryset.Group{group(t, "1p", q, q)}},
		Config{Model: m, Semantics: model.NSMP, Settings: m.Settings(), Filter: Released}
}

// newState returns the text of a state file with nothing in it.
func newState(t testing.TB, set *queryset.Set, c Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	s, err := OpenState(path, set, c)
	require.NoError(t, err)
	s.Close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestStateOther refuses the results of another evaluation.
func TestStateOther(t *testing.T) {
	set, c := smallSet(t)
	first := newState(t, set, c)
	path := filepath.Join(t.TempDir(), "state.jsonl")
	for want, change := range map[string]func(*queryset.Set, *Config){
		"different: model)":    func(_ *queryset.Set, c *Config) { c.Model.Bundle().Manifest.Name = "x" },
		"different: queries)":  func(s *queryset.Set, _ *Config) { s.Groups[0].Queries[1].Hard = []int32{3} },
		"different: filter)":   func(_ *queryset.Set, c *Config) { c.Filter = Strict },
		"different: engine)":   func(_ *queryset.Set, c *Config) { c.Engine = "interpreted" },
		"different: settings)": func(_ *queryset.Set, c *Config) { c.Settings.Alpha++ },
		"different: full graph)": func(_ *queryset.Set, c *Config) {
			c.Full = NewFullGraph("full", c.Model.Bundle().Graph, c.Model.Bundle().Graph)
		},
	} {
		set, c := smallSet(t)
		change(set, &c)
		require.NoError(t, os.WriteFile(path, []byte(first), 0o644))
		_, err := OpenState(path, set, c)
		if err == nil || !strings.Contains(err.Error(), path+":1: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != first {
			t.Errorf("%s: the file was changed", want)
		}
	}
}

func TestStateLines(t *testing.T) {
	set, c := smallSet(t)
	first := newState(t, set, c)
	good := `{"group":0,"first":1,"results":[{"ranks":[2.5,1],"scores":[0.1,0.2]}]}` + "\n"
	for _, x := range []struct{ text, want string }{
		{first + good, ""},
		{first + good + good[:20], ""},
		{first[:20], ""},
		{"", ""},
		{"type\tname\n", "is not a state file"},
		{first + good[:20] + "\n" + good, ":2: "},
		{first + strings.Replace(good, `"group":0`, `"group":1`, 1), ":2: group 1, want less than 1"},
		{first + strings.Replace(good, `"group":0`, `"group":-1`, 1), ":2: group -1, want less than 1"},
		{first + strings.Replace(good, `"first":1`, `"first":2`, 1), ":2: 1 results from query 2 on, but there are 2 queries"},
		{first + strings.Replace(good, `[2.5,1]`, `[2.5]`, 1), ":2: query 1: want ranks and scores of 2 hard answers"},
		{first + strings.Replace(good, `[0.1,0.2]`, `[0.1]`, 1), ":2: query 1: want ranks and scores of 2 hard answers"},
		{first + strings.Replace(good, `[2.5,1]`, `[2.5,0]`, 1), ":2: query 1: rank 0 of 5 entities"},
		{first + strings.Replace(good, `[2.5,1]`, `[2.5,6]`, 1), ":2: query 1: rank 6 of 5 entities"},
		{first + strings.Replace(good, `{"ranks":[2.5,1],"scores":[0.1,0.2]}`, `null`, 1), ":2: query 1: want ranks and scores"},
	} {
		path := filepath.Join(t.TempDir(), "state.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(x.text), 0o644))
		s, err := OpenState(path, set, c)
		if x.want != "" {
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%q: error is %v, want %s", x.text, err, x.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		s.Close()
		want := first
		if strings.Contains(x.text, good) {
			want += good
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q became %q (%v)", x.text, got, err)
		}
		if kept := s.found.Groups[0].Queries[1] != nil; kept != strings.Contains(x.text, good) {
			t.Errorf("%q: result kept: %v", x.text, kept)
		}
	}
}

// FuzzState checks that no file makes OpenState fail otherwise than by an error, and that what it takes over
// fits the queries.
func FuzzState(f *testing.F) {
	set, c := smallSet(f)
	first := newState(f, set, c)
	f.Add([]byte(first))
	f.Add([]byte(first + `{"group":0,"first":1,"results":[{"ranks":[2.5,1],"scores":[0.1,0.2],"misses":[1,2]}]}` + "\n{"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "state.jsonl")
		require.NoError(t, os.WriteFile(path, text, 0o644))
		s, err := OpenState(path, set, c)
		if err != nil {
			return
		}
		defer s.Close()
		for _, x := range s.found.Groups[0].Queries {
			if x != nil && (len(x.Ranks) != 2 || x.Ranks[0] < 1) {
				t.Errorf("took over %+v", x)
			}
		}
	})
}
