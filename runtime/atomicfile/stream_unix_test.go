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

// TestStream writes to what a shell puts in the place of a file: open pipes, sockets, which no
// path opens, and files, where these end, as /dev/stdout does behind a redirection.
func TestStream(t *testing.T) {
	long := strings.Repeat("line\n", bufferSize) // more than a pipe and the buffer hold
	dir := t.TempDir()
	for name, open := range map[string]func() (near *os.File, far io.Reader, err error){
		"pipe": func() (*os.File, io.Reader, error) { r, w, err := os.Pipe(); return w, r, err },
		"socket": func() (*os.File, io.Reader, error) {
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return os.NewFile(uintptr(pair[0]), "near"), os.NewFile(uintptr(pair[1]), "far"), err
		},
		"file": func() (*os.File, io.Reader, error) {
			f, err := os.Create(filepath.Join(dir, "out"))
			return f, nil, err
		},
	} {
		near, far, err := open()
		require.NoError(t, err)
		path := fmt.Sprintf("/dev/fd/%d", near.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip("the system has no /dev/fd")
		}
		var got <-chan string
		if far != nil {
			got = received(far)
		}
		require.NoError(t, errors.Join(text("before, ")(near), Check(path), Write(path, text(long)), text("after")(near), near.Close()))
		if far == nil {
			f, err := os.Open(near.Name())
			require.NoError(t, err)
			got = received(f)
		}
		if s := <-got; s != "before, "+long+"after" {
			t.Errorf("%s: %d bytes arrived, want %d", name, len(s), len("before, "+long+"after"))
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
	require.NoError(t, errors.Join(Check(os.DevNull), Write(os.DevNull, text(long))))
}

// TestStreamFifo writes to a named pipe, which has no reader at first: a check that opened it
// would wait for one. What was written before an error may have been read.
func TestStreamFifo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip("the system makes no named pipes: ", err)
	}
	require.NoError(t, Check(path))
	got := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(path)
		got <- string(text) + fmt.Sprint(err)
	}()
	stop := errors.New("stop")
	err := Write(link(t, "fifo", filepath.Join(dir, "link")), func(w io.Writer) error { return errors.Join(text("x")(w), stop) })
	if s := <-got; !errors.Is(err, stop) || s != "x<nil>" && s != "<nil>" {
		t.Errorf("error is %v, %q arrived", err, s)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 || len(names(t, dir)) != 2 {
		t.Errorf("left %v, %v, %q", info, err, names(t, dir))
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
