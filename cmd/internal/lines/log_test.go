package lines

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// header is a header of test logs, and found a result.
type header struct {
	Version int    `json:"test_log"`
	Model   string `json:"model_name"`
}

type found struct {
	N int `json:"n"`
}

const start = `{"test_log":1,"model_name":"world"}` + "\n"

// A run continues a log where an earlier run stopped, be it in the middle of a line.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	all := 0
	for run := range 3 {
		var taken []found
		l, err := Open(path, header{1, "world"}, func(r found) error {
			taken = append(taken, r)
			return nil
		})
		require.NoError(t, err)
		if len(taken) != all || !slices.Equal(rest(t, l), taken) {
			t.Errorf("run %d: took %v, the rest is %v, want %d results", run, taken, rest(t, l), all)
		}
		for range 2 {
			require.NoError(t, l.Append(found{all}))
			all++
		}
		if got := rest(t, l); len(got) != all-2 {
			t.Errorf("run %d: %d results of earlier runs, want %d", run, len(got), all-2)
		}
		_, err = l.Write([]byte(`{"n":`))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
	l, err := Open[found](path, header{1, "world"}, nil)
	require.NoError(t, err)
	defer l.Close()
	var lines bytes.Buffer
	_, err = l.WriteTo(&lines)
	require.NoError(t, err)
	want := ""
	for i := range all {
		want += fmt.Sprintf("{\"n\":%d}\n", i)
	}
	if lines.String() != want {
		t.Errorf("the lines are\n%swant\n%s", lines.String(), want)
	}
	for r, err := range l.Rest() {
		if err != nil || r.N != 0 {
			t.Errorf("the first result is %v (%v)", r, err)
		}
		break
	}
	var none *Log[found]
	require.NoError(t, none.Append(found{1}))
}

// rest returns the results of earlier runs.
func rest(t *testing.T, l *Log[found]) (list []found) {
	t.Helper()
	for r, err := range l.Rest() {
		require.NoError(t, err)
		list = append(list, r)
	}
	return list
}

// Open refuses what is no log of the same run, and leaves it as it is.
func TestOpenErrors(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"type\tname\n", "log.jsonl is not a state file of this command"},
		{`{"other_log":1}` + "\n", "is not a state file of this command"},
		{`{"test_log":1}` + "\n", ":1: the results are of another run (different: model name)"},
		{`{"test_log":2,"model_name":"x","more":1}` + "\n", "(different: model name, more, test log)"},
		{`{"test_log":1` + "\n", ":1: unexpected end of JSON"},
		{start + `{"n":1}` + "\n{\n", ":3: unexpected end of JSON"},
		{start + `{"n":7}` + "\n", ":2: there is no 7"},
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(x.text), 0o644))
		_, err := Open(path, header{1, "world"}, func(r found) error {
			if r.N == 7 {
				return fmt.Errorf("there is no 7")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: error is %v, want %s", x.text, err, x.want)
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if string(text) != x.text {
			t.Errorf("%q became %q", x.text, text)
		}
	}
}

// FuzzOpen checks that Open keeps the whole lines of a log, and refuses all else.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(start))
	f.Add([]byte(start + `{"n":1}` + "\n{"))
	f.Add([]byte(start[:9]))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		require.NoError(t, os.WriteFile(path, text, 0o644))
		taken := 0
		l, err := Open(path, header{1, "world"}, func(found) error {
			taken++
			return nil
		})
		if err != nil {
			return
		}
		defer l.Close()

		want := text[:bytes.LastIndexByte(text, '\n')+1]
		if len(want) == 0 {
			want = []byte(start)
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		if !bytes.Equal(got, want) || taken != bytes.Count(want, []byte("\n"))-1 {
			t.Errorf("%q became %q with %d results, want %q", text, got, taken, want)
		}
	})
}
