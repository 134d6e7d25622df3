package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
)

const bufferSize = 1 << 18

// attempts bounds the attempts to find a free name for a temporary file.
const attempts = 100

// Write replaces the contents of the file at path by what write writes to w, which is buffered. If write returns an
// error, or the file cannot be written completely, the old file is unchanged. Only if the disk fails to store the new
// name does Write return an error after it has replaced the file. A terminal, pipe or socket, or a file that is already
// open, such as /dev/stdout, gets the output as it is written.
func Write(path string, write func(w io.Writer) error) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.streams():
		err = t.stream(write)
	default:
		err = t.replace(write)
	}
	return t.explain(err)
}

// Check reports why Write would refuse path, so that a long run can fail before
// it begins. It does not open a pipe, which may wait for a reader.
func Check(path string) error {
	t, err := find(path)
	if err == nil && !t.streams() {
		var f *os.File
		f, err = t.create()
		if err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
		err = system(err)
	}
	return t.explain(err)
}

// stream writes to a terminal, pipe or socket, or to a file that is already open. It uses
// the open descriptor: a socket cannot be opened by name, a pipe whose reader has gone
// would wait for another reader, and a file would be overwritten from its start.
func (t *target) stream(write func(w io.Writer) error) error {
	f, err := openStream(t.path)
	if err != nil {
		return system(err)
	}
	return errors.Join(buffered(f, write), system(f.Close()))
}

func openStream(path string) (*os.File, error) {
	if fd, open := inherited(path); open {
		return duplicate(fd, path)
	}
	return os.OpenFile(path, os.O_WRONLY, 0)
}

func buffered(f *os.File, write func(w io.Writer) error) error {
	w := bufio.NewWriterSize(file{f}, bufferSize)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// file is the open file, with errors as the caller sees them.
type file struct{ f *os.File }

func (f file) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, system(err)
}

// replace fills a temporary file and puts it in the place of the target.
func (t *target) replace(write func(w io.Writer) error) error {
	f, err := t.create()
	if err != nil {
		return system(err)
	}
	replaced := false
	defer func() {
		// What was written is on the disk already.
		_ = f.Close()
		if !replaced { // after a panic too
			_ = os.Remove(f.Name())
		}
	}()
	if err := buffered(f, write); err != nil {
		return err
	}
	if t.info != nil {
		keepOwner(f, t.info)
		if err := os.Chmod(f.Name(), t.info.Mode().Perm()); err != nil {
			return system(err)
		}
	}
	if err := f.Sync(); err != nil {
		return system(err)
	}
	if err := replaceFile(f, t.real); err != nil {
		return system(err)
	}
	replaced = true
	return system(SyncFolder(t.folder))
}

// create creates a temporary file for the target, after removing the files of killed runs. No other
// run removes it as long as it is open.
func (t *target) create() (*os.File, error) {
	t.removeLeftovers()
	for range attempts {
		f, err := os.OpenFile(t.temporary(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil && hold(f):
			return f, nil
		case err == nil:
			_ = f.Close()
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
	return nil, errors.New("no free name was found for a temporary file")
}
