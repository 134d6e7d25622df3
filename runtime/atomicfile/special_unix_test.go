//go:build unix

package atomicfile

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/efoc/efoc/runtime/regularfile"
	"github.com/efoc/efoc/testdata/require"
)

// TestSpecial expects a refusal at once of what has no end: a pipe without a writer would be
// waited for, and a device would fill the memory.
func TestSpecial(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the names of sockets are short
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()

	for path, kind := range map[string]string{pipe: "a pipe", socket: "a socket", "/dev/zero": "a device", os.DevNull: "a device"} {
		link := filepath.Join(dir, filepath.Base(path)+".efo")
		require.NoError(t, os.Symlink(path, link))
		for _, name := range []string{path, link} {
			want := name + ": not a regular file, but " + kind
			if _, err := regularfile.Read(name, 10); err == nil || err.Error() != want {
				t.Errorf("read %s: error is %v", name, err)
			}
			if _, _, err := regularfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err == nil || err.Error() != want {
				t.Errorf("open %s: error is %v", name, err)
			}
		}
	}
}
