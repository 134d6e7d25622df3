package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestCompletion completes commands, flags, their values and files.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.efoc", "b.efo", "deep/c.efoc"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
	parser, err := newParser(&commands{})
	require.NoError(t, err)
	for _, c := range []struct{ line, cursor, want string }{
		{"efoc", "", ""},
		{"efoc ex", "", "explain export"},
		{"efoc explain --format", "7", "explain export"},
		{"efoc ask --for", "", "--format"},
		{"efoc ask --format ", "", "table json tsv sparql-json sparql-csv sparql-tsv sparql-xml"},
		{"efoc ask --format=t", "", "table tsv"},
		{"efoc ask --format json --why", "", "--why --why-not"},
		{"efoc explain --shape 3m", "", "3mp"},
		{"efoc ask -m ", "", "a.efoc deep/"},
		{"efoc info ./d", "", "./deep/ ./deep/c.efoc"},
		{"efoc fmt a.efo ", "", "b.efo deep/"},
		{"efoc completion ", "", "bash zsh fish"},
		{"efoc ask --device c", "", "cpu cuda"},
	} {
		var list strings.Builder
		complete(&list, parser.Model.Node, c.line, c.cursor)
		if got := strings.Join(strings.Fields(list.String()), " "); got != c.want {
			t.Errorf("%q, cursor %q: %q, want %q", c.line, c.cursor, got, c.want)
		}
	}
}
