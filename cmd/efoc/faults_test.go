//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// readable lets any user reach a temporary folder of a test.
func readable(t *testing.T, folder string) string {
	t.Helper()
	// The tests' own folder lies between.
	for _, path := range []string{filepath.Dir(folder), folder} {
		require.NoError(t, os.Chmod(path, 0o755))
	}
	return folder
}

// link makes a symbolic link.
func link(t *testing.T, to, path string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, path))
}

// fails runs a job that must fail, with one message that holds texts, and that
// must leave everything as it was but what it keeps for going on.
func (j *job) fails(t *testing.T, out string, env []string, texts ...string) {
	t.Helper()
	before := read(t, out)
	args := j.command(out)
	r := runProgram(t, env, args...)
	if r.status != statusFailure || strings.Contains(r.stdout, "wrote ") {
		t.Errorf("efoc %s: status %d\n%s%s", strings.Join(args, " "), r.status, r.stdout, r.stderr)
	}
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	last := lines[len(lines)-1]
	for _, text := range append(texts, "efoc: ", out) {
		if !strings.Contains(last, text) {
			t.Errorf("efoc %s: the error is %q, want %q", strings.Join(args, " "), last, text)
		}
	}
	after := read(t, out)
	for _, name := range append(j.kept, j.stated...) {
		delete(before, name)
		delete(after, name)
	}
	if !maps.Equal(before, after) {
		t.Errorf("efoc %s: the folder held %q, now it holds %q, or they changed", strings.Join(args, " "), before.names(), after.names())
	}
}

// TestFull lets every command come to the end of the disk within its output.
// Then it succeeds with more room.
func TestFull(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	for _, j := range jobs(t, t.TempDir()) {
		t.Run(j.name, func(t *testing.T) {
			whole := t.TempDir()
			j.run(t, j.args(whole))
			want := read(t, whole).of(j.target)
			size := 0
			for _, text := range want {
				size = max(size, len(text))
			}
			out := j.newFolder(t)
			j.fails(t, out, []string{fmt.Sprint("EFOC_TEST_FILE_SIZE=", size/2)}, "write ", "file too large", "ulimit -f")
			j.run(t, j.command(out))
			if got := read(t, out).of(j.target); !maps.Equal(got, want) {
				t.Errorf("with more room there is %q, want %q, or they differ", got.names(), want.names())
			}
		})
	}
}

// TestReadOnly lets every command write into a folder, and then over a file, that
// must not change.
func TestReadOnly(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	for _, j := range jobs(t, readable(t, t.TempDir())) {
		t.Run(j.name, func(t *testing.T) {
			out := readable(t, j.newFolder(t))
			t.Cleanup(func() { _ = os.Chmod(out, 0o755) })
			require.NoError(t, os.Chmod(out, 0o555))
			// Nobody may read the output that is there, and must be told the same.
			j.fails(t, out, []string{"EFOC_TEST_NOBODY=1"}, "permission denied: change the permissions")
			if j.old == nil {
				return
			}
			require.NoError(t, os.Chmod(out, 0o755))
			require.NoError(t, os.Chmod(filepath.Join(out, j.output()), 0o444))
			j.fails(t, out, nil, j.output(), "it is read-only: make it writable")
		})
	}
}

// TestLinkedOutput gives every command a symbolic link for its output: the link
// stays, what it points to is written, and what cannot be is left as it is.
func TestLinkedOutput(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	for _, j := range jobs(t, t.TempDir()) {
		t.Run(j.name, func(t *testing.T) {
			whole := t.TempDir()
			j.run(t, j.args(whole))
			want := read(t, whole).of(j.target)
			for _, there := range []bool{false, true} {
				out, far := t.TempDir(), t.TempDir()
				if there && j.old != nil {
					j.run(t, j.old(far))
				}
				path, to := filepath.Join(out, j.output()), filepath.Join(far, j.output())
				link(t, to, path)
				j.run(t, j.args(out))
				if got := read(t, far).of(j.target); !maps.Equal(got, want) {
					t.Errorf("the link points to %q, want %q, or they differ", got.names(), want.names())
				}
				if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("there is no link any more: %v", err)
				}
				if got := read(t, far).names(); slices.ContainsFunc(got, isTemporary) {
					t.Errorf("beside it there is %q", got)
				}
			}
			for name, to := range map[string]string{"loop": j.output(), "folder": ".", "nowhere": "none/none/" + j.output()} {
				out := t.TempDir()
				if name == "folder" && strings.Contains(j.name, "folder") || name == "nowhere" && strings.Contains(j.name, "folder") {
					continue
				}
				path := filepath.Join(out, j.output())
				link(t, to, path)
				r := runProgram(t, nil, j.command(out)...)
				if r.status != statusFailure || !strings.Contains(r.stderr, path) || strings.Count("\n"+r.stderr, "\nefoc: ") != 1 {
					t.Errorf("%s: status %d\n%s%s", name, r.status, r.stdout, r.stderr)
				}
				if got, err := os.Readlink(path); err != nil || got != to {
					t.Errorf("%s: the link points to %q, %v", name, got, err)
				}
			}
		})
	}
}
