package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/regularfile"
	"github.com/efoc/efoc/testdata/require"
)

// TestRead reads files of sizes around the limit, by name and through a link.
func TestRead(t *testing.T) {
	const limit = 1000
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, limit - 1, limit, limit + 1, 10 * limit} {
		want := bytes.Repeat([]byte("x"), size)
		require.NoError(t, os.WriteFile(path, want, 0o600))
		got, err := regularfile.Read(path, limit)
		switch {
		case size <= limit && (err != nil || !bytes.Equal(got, want)):
			t.Errorf("size %d: read %d bytes, %v", size, len(got), err)
		case size > limit && (err == nil || !strings.Contains(err.Error(), "over the limit of 1000 bytes")):
			t.Errorf("size %d: error is %v", size, err)
		}
	}

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("the system allows no symbolic links: ", err)
	}
	if got, err := regularfile.Read(link, 10*limit); err != nil || len(got) != 10*limit {
		t.Errorf("through a link: read %d bytes, %v", len(got), err)
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := regularfile.Read(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	_, err := regularfile.Read(dir, 1)
	if wrong, ok := errors.AsType[*regularfile.Error](err); !ok || wrong.Path != dir || err.Error() != dir+": not a regular file, but a folder" {
		t.Errorf("error is %v", err)
	}
}
