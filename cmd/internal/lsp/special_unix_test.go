//go:build unix

package lsp

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/efoc/efoc/testdata/require"
)

// TestSpecialNeighbours opens a template beside a pipe and a device, which can be none of its package.
func TestSpecialNeighbours(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, unix.Mkfifo(filepath.Join(folder, "pipe.efo"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(folder, "device.efo")))

	s := &session{documents: map[string]*document{}}
	d := s.newDocument("file://"+folder+"/a.efo", 0, "package p\n\nquery Q(c entity) y = borders($c, y)\n")
	if f, mistakes := d.parse(); len(f.Queries) != 1 || len(mistakes) > 0 || len(d.siblings) > 0 {
		t.Errorf("%d queries, mistakes %v, %d other files", len(f.Queries), mistakes, len(d.siblings))
	}
}
