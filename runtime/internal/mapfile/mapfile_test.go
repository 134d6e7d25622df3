package mapfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRelease checks that a file can be read after its pages are given back.
func TestRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	want := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		if !bytes.Equal(f.Data, want) {
			t.Error("other bytes")
		}
		f.Release()
	}
}
