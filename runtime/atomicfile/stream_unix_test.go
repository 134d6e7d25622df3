//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/efoc/efoc/testdata/require"
)

// received returns what r gives to its end.
func received(r io.Reader) <-chan string {
	done := make(chan string, 1)
	go func() {
		data, err := io.ReadAll(r)
		if err != nil {
			data = []byte(err.Error())
		}
		done <- string(data)
	}()
	return done
}

// TestStream writes to what a shell puts in the place of a file.
func TestStream(t *testing.T) {
	long := strings.Repeat("line\n", bufferSize) // more than a pipe and the buffer hold
	t.Run("pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		path := fmt.Sprintf("/dev/fd/%d", w.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip("the system has no /dev/fd")
		}
		got := received(r)
		require.NoError(t, errors.Join(Check(path), Write(path, text(long)), Write(path, text("second")), w.Close()))
		if s := <-got; s != long+"second" {
			t.Errorf("%d bytes arrived, want %d", len(s), len(long)+len("second"))
		}
	})
	t.Run("fifo", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "fifo")
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Skip("the system makes no named pipes: ", err)
		}
		// There is no reader yet: a check that opened the pipe would wait for one.
		require.NoError(t, Check(path))
		got := make(chan string, 1)
		go func() {
			f, err := os.Open(path)
			if err != nil {
				got <- err.Error()
				return
			}
			defer f.Close()
			got <- <-received(f)
		}()
		stop := errors.New("stop")
		err := Write(link(t, "fifo", filepath.Join(dir, "link")), func(w io.Writer) error { return errors.Join(text(long)(w), stop) })
		if !errors.Is(err, stop) {
			t.Errorf("error is %v", err)
		}
		// What was written before an error may have been read.
		if s := <-got; s == "" || !strings.HasPrefix(long, s) {
			t.Errorf("%d bytes arrived, %.20q", len(s), s)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeNamedPipe == 0 || len(names(t, dir)) != 2 {
			t.Errorf("left %v, %v, %q", info, err, names(t, dir))
		}
	})
	t.Run("null", func(t *testing.T) {
		if err := errors.Join(Check(os.DevNull), Write(os.DevNull, text(long))); err != nil {
			t.Error(err)
		}
	})
}

// TestStreamSocket writes to open sockets, which no path opens.
func TestStreamSocket(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	near, far := os.NewFile(uintptr(pair[0]), "near"), os.NewFile(uintptr(pair[1]), "far")
	defer far.Close()
	path := fmt.Sprintf("/dev/fd/%d", near.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("the system has no /dev/fd")
	}
	require.NoError(t, errors.Join(Check(path), Write(path, text("first")), Write(path, text(" second")), near.Close()))
	if got := <-received(far); got != "first second" {
		t.Errorf("got %q", got)
	}
}

// TestStreamOpenFile writes on where an open file ends, as /dev/stdout does behind
// a redirection.
func TestStreamOpenFile(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "out"))
	require.NoError(t, err)
	path := fmt.Sprintf("/dev/fd/%d", f.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("the system has no /dev/fd")
	}
	err = errors.Join(text("before, ")(f), Check(path), Write(path, text("inside, ")), text("after")(f), f.Close())
	require.NoError(t, err)
	want(t, filepath.Join(dir, "out"), "before, inside, after")
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestStreamErrors expects refusals without a long wait.
func TestStreamErrors(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("the system has no /dev/fd")
	}
	require.NoError(t, r.Close())
	if err := Write(path, text("x")); err == nil || err.Error() != "write "+path+": broken pipe" {
		t.Errorf("error is %v", err)
	}
	_ = w.Close()
	// A socket by name takes connections, not writes.
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	if err := Write(socket, text("x")); err == nil || !strings.HasPrefix(err.Error(), "write "+socket+": ") {
		t.Errorf("error is %v", err)
	}
}
