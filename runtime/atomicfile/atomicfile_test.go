package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// text writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// put makes a file, and its folders if need be.
func put(t *testing.T, path, s string) string {
	t.Helper()
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(s), 0o644)))
	return path
}

// want checks what a file holds.
func want(t *testing.T, path, s string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != s {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, s)
	}
}

// names lists a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, s := range []string{"first", "", "second"} {
		require.NoError(t, Write(path, text(s)))
		want(t, path, s)
	}
	long := filepath.Join(dir, strings.Repeat("n", 240))
	require.NoError(t, errors.Join(Check(long), Write(long, text("long"))))
	want(t, long, "long")
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestWriteStopped expects the old file after an error, a panic, and a write that
// fails at any byte.
func TestWriteStopped(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "file"), "old")
	stop := errors.New("stop")
	for size := range 4 {
		err := Write(path, func(w io.Writer) error {
			_, _ = w.Write(make([]byte, size*bufferSize/2))
			return stop
		})
		if !errors.Is(err, stop) || !strings.Contains(err.Error(), "write "+path) {
			t.Errorf("error is %v", err)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = Write(path, func(io.Writer) error { panic(stop) })
	}()
	want(t, path, "old")
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestMode expects an existing file to keep its mode.
func TestMode(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "file"), "old")
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o755} {
		require.NoError(t, errors.Join(os.Chmod(path, mode), Write(path, text("new"))))
		info, err := os.Stat(path)
		require.NoError(t, err)
		if got := info.Mode().Perm(); got != mode && os.PathSeparator == '/' {
			t.Errorf("mode is %v, was %v", got, mode)
		}
	}
}

// link makes a symbolic link.
func link(t *testing.T, to, path string) string {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("the system allows no symbolic links: ", err)
	}
	return path
}

// TestLinks writes through symbolic links, which stay.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	real := put(t, filepath.Join(dir, "far", "real"), "old")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "near"), 0o755))
	// Behind a link to a folder, .. is the folder above the one it points to.
	link(t, filepath.Join(dir, "far"), filepath.Join(dir, "near", "folder"))
	for _, path := range []string{
		link(t, real, filepath.Join(dir, "near", "absolute")),
		link(t, "../far/real", filepath.Join(dir, "near", "relative")),
		link(t, "relative", filepath.Join(dir, "near", "chain")),
		link(t, "folder/../far/real", filepath.Join(dir, "near", "above")),
		link(t, "far/real", filepath.Join(dir, "near", "folder")+"/../behind"),
		link(t, "../far/new", filepath.Join(dir, "near", "dangling")),
	} {
		if err := Write(path, text(path)); err != nil {
			t.Error(err)
			continue
		}
		want(t, path, path)
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is not a link any more", path)
		}
	}
	want(t, filepath.Join(dir, "far", "new"), filepath.Join(dir, "near", "dangling"))
	if got := names(t, filepath.Join(dir, "far")); !slices.Equal(got, []string{"new", "real"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// refused are paths that cannot be written.
func refused(t *testing.T, dir string) []struct{ path, want string } {
	put(t, filepath.Join(dir, "file"), "old")
	require.NoError(t, os.Chmod(put(t, filepath.Join(dir, "fixed"), "old"), 0o444))
	return []struct{ path, want string }{
		{"", "the name is empty"},
		{dir, "it is a folder: name a file"},
		{filepath.Join(dir, "fixed"), "it is read-only: make it writable"},
		{filepath.Join(dir, "none", "x"), "the folder " + filepath.Join(dir, "none") + " does not exist: make it"},
		{filepath.Join(dir, "file", "x"), filepath.Join(dir, "file") + " is not a folder"},
		{link(t, "loop", filepath.Join(dir, "loop")), "symbolic links"},
		{link(t, dir, filepath.Join(dir, "up")), "it is a folder"},
		{link(t, "fixed", filepath.Join(dir, "to-fixed")), "it is read-only"},
		{link(t, filepath.Join("none", "x"), filepath.Join(dir, "to-none")), "does not exist"},
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	list := refused(t, dir)
	before := names(t, dir)
	for _, c := range list {
		called := false
		for op, err := range map[string]error{
			"write": Write(c.path, func(io.Writer) error { called = true; return nil }), "check": Check(c.path),
		} {
			own := (*Error)(nil)
			if !errors.As(err, &own) || own.Path != c.path || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: error is %v, want %q", op, c.path, err, c.want)
			}
		}
		if called {
			t.Errorf("%s was to be filled", c.path)
		}
	}
	want(t, filepath.Join(dir, "fixed"), "old")
	want(t, filepath.Join(dir, "file"), "old")
	if got := names(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder holds %q, before it held %q", got, before)
	}
}

// TestLeftovers expects the temporary files of killed runs to go, and nothing else to.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, name := range []string{".file.0123abcd.tmp", ".file.efoc.0123abcd.tmp", ".file.0123abc.tmp", ".file.0123abcd.tmpx", "file.0123abcd.tmp"} {
		put(t, filepath.Join(dir, name), "cut")
	}
	// The temporary files of runs that go on stay.
	const runs = 3
	var write func(i int) error
	write = func(i int) error {
		return Write(path, func(w io.Writer) error {
			if i == 0 {
				return nil
			}
			if err := write(i - 1); err != nil {
				return err
			}
			return text(fmt.Sprint(i))(w)
		})
	}
	require.NoError(t, write(runs))
	want(t, path, fmt.Sprint(runs))
	if got := names(t, dir); !slices.Equal(got, []string{".file.0123abc.tmp", ".file.0123abcd.tmpx", ".file.efoc.0123abcd.tmp", "file", "file.0123abcd.tmp"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// An error names the file that cannot be locked.
func TestLockErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "lock")
	if _, err := Lock(path); err == nil || !strings.Contains(err.Error(), "lock "+path+": ") {
		t.Errorf("error %v", err)
	}
}
