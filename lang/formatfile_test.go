package lang

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/testdata/require"
)

// TestFormat formats the files of testdata/format.
func TestFormat(t *testing.T) {
	for name, archive := range archives(t, "format") {
		t.Run(name, func(t *testing.T) {
			before, want := string(archive.Files[0].Data), string(archive.Files[1].Data)
			f, err := ParseFile("", []byte(before))
			require.NoError(t, err)
			if got := f.String(); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			checkFormat(t, before)
		})
	}
}

// archives reads the cases in a folder of testdata, by name.
func archives(t testing.TB, folder string) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	cases := map[string]*txtar.Archive{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		cases[strings.TrimSuffix(filepath.Base(path), ".txtar")] = archive
	}
	return cases
}

// checkFormat checks that formatting a file preserves its meaning and its comments and is idempotent.
func checkFormat(t *testing.T, text string) {
	t.Helper()
	f, err := ParseFile("", []byte(text))
	require.NoError(t, err)
	formatted := f.String()
	again, err := ParseFile("", []byte(formatted))
	if err != nil {
		t.Fatalf("%s\nis formatted as\n%s\nwhich does not parse: %v", text, formatted, err)
	}
	if twice := again.String(); twice != formatted {
		t.Fatalf("%s\nis formatted as\n%s\nand that as\n%s", text, formatted, twice)
	}
	same := f.Package == again.Package && f.Doc == again.Doc && f.Semantics == again.Semantics && f.Layers == again.Layers &&
		len(f.Queries) == len(again.Queries)
	for i := range f.Queries {
		same = same && reflect.DeepEqual(bare(f.Queries[i]), bare(again.Queries[i]))
	}
	if !same {
		t.Fatalf("%s\nmeans another thing than\n%s", text, formatted)
	}
	if before, after := commentsOf(text), commentsOf(formatted); !slices.Equal(before, after) {
		t.Fatalf("%s\nhas the comments %q, but\n%s\nhas %q", text, before, formatted, after)
	}
}

// commentsOf returns the comments of a text, sorted.
func commentsOf(text string) []string {
	_, comments := newParser("", text).scan(limits.FileBytes, "")
	var out []string
	for _, c := range comments {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(c.Value, "//")))
	}
	slices.Sort(out)
	return out
}
