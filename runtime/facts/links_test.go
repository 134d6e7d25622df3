package facts_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/testdata/require"
)

// symlink makes a symbolic link in a folder of its own.
func symlink(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "link.efoc")
	if err := os.Symlink(to, path); err != nil {
		t.Skip("the system allows no symbolic links: ", err)
	}
	return path
}

// TestSymbolicLink adds facts by the name of a bundle and by a link to it: there is one lock and
// one journal, and compaction by either name keeps all facts.
func TestSymbolicLink(t *testing.T) {
	path := town(t, 5)
	link := symlink(t, path)
	release, err := facts.Lock(path)
	require.NoError(t, err)
	if _, err := facts.Lock(link); err == nil || !strings.Contains(err.Error(), "town.efoc.journal is being written by another program") {
		t.Errorf("a second lock: error %v", err)
	}
	require.NoError(t, release())

	for i, name := range []string{link, path, link} {
		_, s := open(t, name)
		if done, err := s.Apply(t.Context(), facts.Change{Add: list(near(4, i))}); err != nil || done.Added != 1 {
			t.Fatalf("%+v, error %v", done, err)
		}
		require.NoError(t, s.Close())
		if _, err := facts.Compact(t.Context(), []string{path, link, link}[i], nil); err != nil {
			t.Fatal(err)
		}
		for j := range i + 1 {
			if !has(reopened(t, path), 4, j) || !has(reopened(t, link), 4, j) {
				t.Errorf("fact %d is lost", j)
			}
		}
	}
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(link), "*")); len(found) != 1 {
		t.Errorf("beside the link there are %q", found)
	}
}

// TestHardLink expects no writer for a bundle with two names, since compaction would make two bundles
// of it.
func TestHardLink(t *testing.T) {
	path := town(t, 5)
	other := filepath.Join(filepath.Dir(path), "other.efoc")
	if err := os.Link(path, other); err != nil {
		t.Skip("the file system allows no hard links: ", err)
	}
	for _, name := range []string{path, other} {
		if _, err := facts.Lock(name); err == nil || !strings.Contains(err.Error(), "is one of 2 hard links") {
			t.Errorf("lock %s: error %v", name, err)
		}
		if _, err := facts.Compact(t.Context(), name, nil); err == nil || !strings.Contains(err.Error(), "is one of 2 hard links") {
			t.Errorf("compact %s: error %v", name, err)
		}
	}
	require.NoError(t, os.Remove(other))
	release, err := facts.Lock(path)
	require.NoError(t, err)
	require.NoError(t, release())
}

// TestOpenReplaced opens the store of a model whose bundle has been replaced, to which no journal belongs.
func TestOpenReplaced(t *testing.T) {
	path, other := town(t, 5), town(t, 6)
	link := symlink(t, path)
	m, err := runtime.Open(link)
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(other, link))
	if _, err := facts.Open(link, m); err == nil || !strings.Contains(err.Error(), "was replaced by another bundle after the model was opened") {
		t.Errorf("error %v", err)
	}
}

// TestLeftovers takes the lock after a compaction was killed: its temporary file goes, and that
// of a program that still writes stays.
func TestLeftovers(t *testing.T) {
	path := town(t, 5)
	folder := filepath.Dir(path)
	left := func() int {
		found, err := filepath.Glob(filepath.Join(folder, ".town.efoc*.tmp"))
		require.NoError(t, err)
		return len(found)
	}
	take := func() {
		release, err := facts.Lock(path)
		require.NoError(t, err)
		require.NoError(t, release())
	}
	for _, name := range []string{".town.efoc.0123abcd.tmp", ".town.efoc.journal.0123abcd.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("cut"), 0o600))
	}
	take()
	if n := left(); n != 0 {
		t.Errorf("%d temporary files of a killed program are left", n)
	}
	stopped := io.ErrUnexpectedEOF
	err := atomicfile.Write(path, func(io.Writer) error {
		take()
		if n := left(); n != 1 {
			t.Errorf("%d temporary files in use are there", n)
		}
		return stopped
	})
	if err == nil || left() != 0 {
		t.Errorf("error %v, %d temporary files are left", err, left())
	}
}

// TestLeftoversKilled takes the lock while another program writes a journal, and after that program was killed.
func TestLeftoversKilled(t *testing.T) {
	if path := os.Getenv("EFOC_TEST_WRITES"); path != "" { // in the other program
		_ = atomicfile.Write(path, func(w io.Writer) error {
			_, err := os.Stdout.WriteString("writing\n")
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, os.Stdin) // until this program ends, at the latest
			return err
		})
	}
	path := town(t, 5)
	other := exec.Command(os.Args[0], "-test.run=^TestLeftoversKilled$")
	other.Env = append(os.Environ(), "EFOC_TEST_WRITES="+journal.Path(path))
	out, err := other.StdoutPipe()
	in, wrong := other.StdinPipe()
	require.NoError(t, errors.Join(err, wrong, other.Start()))
	defer in.Close()
	defer other.Process.Kill()
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	for _, want := range []int{1, 0} {
		release, err := facts.Lock(path)
		require.NoError(t, err)
		require.NoError(t, release())
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".town.efoc.journal.*.tmp"))
		if err != nil || len(found) != want {
			t.Errorf("%d temporary files are there, want %d", len(found), want)
		}
		_ = other.Process.Kill() // the second time it has ended
		_ = other.Wait()
	}
}
