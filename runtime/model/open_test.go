package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/testdata/require"
)

// bundleFile is a file with the bundle of smallModel.
func bundleFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.efoc")
	require.NoError(t, os.WriteFile(path, smallBundle(t), 0o600))
	return path
}

// ways are those to open a file.
var ways = map[string][]OpenOption{"mapped": {Mapped()}, "copied": nil}

// TestOpenCopied overwrites the file of an open model in place, as cp does, truncates it
// and removes it: the model has its own copy.
func TestOpenCopied(t *testing.T) {
	path := bundleFile(t)
	want := smallBundle(t)
	if available := memory.Available(); !copies(int64(len(want)), available) {
		t.Fatalf("%d bytes are not copied into %d", len(want), available)
	}
	m, err := Open(path)
	require.NoError(t, err)
	defer m.Close()
	if m.Mapped() {
		t.Error("it is mapped")
	}
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(path, bytes.Repeat([]byte{7}, len(want)), 0o600) },
		func() error { return os.Truncate(path, 0) },
		func() error { return os.Remove(path) },
	} {
		require.NoError(t, spoil())
		var got bytes.Buffer
		if err := Write(&got, m); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("the model has changed, error %v", err)
		}
	}
}

// TestOpenWays checks that bundles and mistakes are the same however a file is opened:
// for each length that a damaged file may have, and for damage at several places.
func TestOpenWays(t *testing.T) {
	whole := smallBundle(t)
	path := filepath.Join(t.TempDir(), "x.efoc")
	check := func(data []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, data, 0o600))
		_, want := OpenBytes(path, bytes.Clone(data))
		for name, way := range ways {
			m, err := Open(path, way...)
			if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() && len(data) > 0 {
				t.Errorf("%d bytes, %s: error is %v, in memory %v", len(data), name, err, want)
			}
			if err == nil {
				m.Close()
			}
		}
	}
	for n := 0; n <= len(whole); n += 1 + n/16 {
		check(whole[:n])
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/40 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		check(damaged)
	}
	check(whole)
	check(append(bytes.Clone(whole), 0))
	long := bytes.Clone(whole)
	copy(long, strings.Repeat("\xff", 8))
	check(long)
	for _, bad := range []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "none")} {
		for name, way := range ways {
			if _, err := Open(bad, way...); err == nil || !strings.Contains(err.Error(), bad) {
				t.Errorf("%s, %s: error is %v", bad, name, err)
			}
		}
	}
}

// TestCopies checks the rule for copying a file into memory.
func TestCopies(t *testing.T) {
	for _, c := range []struct {
		size, available int64
		want            bool
	}{
		{500, 1000, true},
		{501, 1000, false},
		{1, 1, false},
		{1 << 30, 0, true},
		{1<<30 + 1, 0, false},
	} {
		if got := copies(c.size, c.available); got != c.want {
			t.Errorf("%d of %d: %v", c.size, c.available, got)
		}
	}
}
