package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
)

// bufferSize is how much is written at once.
const bufferSize = 1 << 18

// Write makes the file at path hold what write writes to w, which is buffered.
// If write returns an error, or the file cannot be written to its end, the file
// is as it was before. A terminal, pipe or socket, or a file that is open already,
// such as /dev/stdout, gets what is written as it is.
func Write(path string, write func(w io.Writer) error) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.streams():
		err = t.stream(write)
	default:
		err = t.write(write)
	}
	if err != nil {
		return t.explain("write", err)
	}
	return nil
}

// Check reports why Write would refuse path, so that a long run can fail before
// it begins. It does not open a pipe, which may wait for a reader.
func Check(path string) error {
	t, err := find(path)
	if err != nil {
		return t.explain("write", err)
	}
	if t.streams() {
		return nil
	}
	f, err := t.create()
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return t.explain("write", system(err))
	}
	return nil
}

// stream writes to a terminal, pipe or socket, or to a file that is open already.
func (t *target) stream(write func(w io.Writer) error) error {
	f, err := t.open()
	if err != nil {
		return system(err)
	}
	w := bufio.NewWriterSize(file{f}, bufferSize)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, system(f.Close()))
}

// open opens a terminal, pipe or socket. One that is open already is used as it
// is: sockets cannot be opened by name, a pipe whose reader has gone would wait for
// another one, and a file would be written from its start.
func (t *target) open() (*os.File, error) {
	if t.inherited != nil {
		return t.inherited()
	}
	return os.OpenFile(t.real, os.O_WRONLY, 0)
}

// write writes the temporary file, and puts it in the place of the target.
func (t *target) write(write func(w io.Writer) error) error {
	f, err := t.create()
	if err != nil {
		return system(err)
	}
	replaced := false
	defer func() {
		// After a panic too.
		if !replaced {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(file{f}, bufferSize)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := t.replace(f); err != nil {
		return system(err)
	}
	replaced = true
	return system(syncFolder(t.folder))
}

// file is what is written to, as the caller sees it.
type file struct{ f *os.File }

// Write writes p.
func (f file) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, system(err)
}

// replace puts a temporary file in the place of the target, and closes it.
func (t *target) replace(f *os.File) error {
	if t.info != nil {
		keepOwner(f, t.info)
		if err := os.Chmod(f.Name(), t.info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	// The lock is held until the file has its name, where the system allows it.
	if !renamesOpenFiles {
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := atomic.ReplaceFile(f.Name(), t.real); err != nil {
		return err
	}
	_ = f.Close() // what was written is on the disk already
	return nil
}

// errNoName almost certainly never happens.
var errNoName = errors.New("no free name was found for a temporary file")

// create creates a temporary file for the target and locks it.
func (t *target) create() (*os.File, error) {
	t.removeLeftovers()
	for range attempts {
		f, err := os.OpenFile(t.temporary(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if holds(f) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, errNoName
}

// holds locks a temporary file or folder, and reports whether it is still there
// under its name: between its creation and the lock another run may have taken
// it for a leftover.
func holds(f *os.File) bool {
	switch err := lock(f); {
	case isLocked(err):
		return false
	case err != nil:
		return true // a file system without locks: no other run can take it for one
	}
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, named)
}

// WriteFolder makes a folder at path that holds what fill puts into the folder that
// it is given. A folder that is there must be empty. If fill returns an error, what
// was there before is unchanged.
func WriteFolder(path string, fill func(folder string) error) error {
	t, err := findFolder(path)
	if err == nil {
		err = t.writeFolder(fill)
	}
	if err != nil {
		return t.explain("write folder", err)
	}
	return nil
}

func (t *target) writeFolder(fill func(folder string) error) error {
	if err := os.MkdirAll(t.folder, 0o777); err != nil {
		return fmt.Errorf("make the folder %s: %w", t.folder, system(err))
	}
	temp, held, err := t.createFolder()
	if err != nil {
		return system(err)
	}
	defer os.RemoveAll(temp)
	if held != nil {
		defer held.Close()
	}
	if err := fill(temp); err != nil {
		return t.visible(temp, err)
	}
	return system(t.replaceFolder(temp))
}

// replaceFolder puts a temporary folder in the place of the target.
func (t *target) replaceFolder(temp string) error {
	if err := filepath.WalkDir(temp, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = syncFolder(path)
		}
		return err
	}); err != nil {
		return err
	}
	// An empty folder is in the way of the new one on some systems.
	if err := os.Remove(t.real); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := atomic.ReplaceFile(temp, t.real); err != nil {
		return err
	}
	return syncFolder(t.folder)
}

// createFolder creates a temporary folder for the target. It is locked as long
// as held, which is nil where folders have no locks, is open.
func (t *target) createFolder() (temp string, held *os.File, err error) {
	t.removeLeftovers()
	for range attempts {
		temp = t.temporary()
		err := os.Mkdir(temp, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || !locksFolders {
			return temp, nil, err
		}
		held, err := os.Open(temp)
		if err == nil && holds(held) {
			return temp, held, nil
		}
		if err == nil {
			_ = held.Close()
		}
	}
	return "", nil, errNoName
}
