package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/testdata/require"
)

// TestMapFile checks that a file can be read after its pages are given back.
func TestMapFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	want := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	require.NoError(t, os.WriteFile(path, want, 0o600))
	f, err := mapfile.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for range 2 {
		if !bytes.Equal(f.Data, want) {
			t.Error("other bytes")
		}
		f.Release()
	}
	f.ReleasePart(bytes.Clone(want)) // is not of the file
	for _, part := range [][2]int{{0, 0}, {0, 1}, {5000, 100_000}, {4096, 8192}, {0, len(want)}, {len(want) - 1, len(want)}} {
		f.ReleasePart(f.Data[part[0]:part[1]])
		if !bytes.Equal(f.Data, want) {
			t.Errorf("other bytes after bytes %d to %d are given back", part[0], part[1])
		}
	}
}
