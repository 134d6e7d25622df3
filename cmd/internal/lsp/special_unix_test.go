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

	e := start(t.Context(), t)
	e.initialize()
	if found := e.mistakes("file://"+folder+"/a.efo", "package p\n\nquery Q(c entity) y = borders($c, y)\n"); len(found) > 0 {
		t.Errorf("mistakes: %q", found)
	}
}
