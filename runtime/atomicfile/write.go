package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const bufferSize = 1 << 18

// Write makes the file at path hold what write writes to w, which is buffered.
// If write returns an error, or the file cannot be written to its end, the file
// is as it was before. Only if the disk fails after that, when it is to keep the new
// name, is the new file there although Write returns an error. A terminal, pipe or socket,
// or a file that is open already, such as /dev/stdout, gets what is written as it is.
func Write(path string, write func(w io.Writer) error) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.streams():
		err = t.stream(write)
	default:
		err = t.replace(createFile, func(f *os.File) error {
			if err := buffered(f, write); err != nil {
				return err
			}
			return system(t.finish(f))
		})
	}
	return t.explain("write", err)
}

// Check reports why Write would refuse path, so that a long run can fail before
// it begins. It does not open a pipe, which may wait for a reader.
func Check(path string) error {
	t, err := find(path)
	if err == nil && !t.streams() {
		var f *os.File
		if f, err = t.create(createFile); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
		err = system(err)
	}
	return t.explain("write", err)
}

// WriteFolder makes a folder at path that holds what fill puts into the folder that
// it is given. A folder that is there must be empty. If fill returns an error, what
// was there before is unchanged.
func WriteFolder(path string, fill func(folder string) error) error {
	t, err := findFolder(path)
	if err == nil {
		if err = os.MkdirAll(t.folder, 0o777); err != nil {
			err = fmt.Errorf("make the folder %s: %w", t.folder, system(err))
		}
	}
	if err == nil {
		err = t.replace(createFolder, func(temp *os.File) error {
			if err := fill(temp.Name()); err != nil {
				return t.visible(temp.Name(), err)
			}
			return system(t.finishFolder(temp.Name()))
		})
	}
	return t.explain("write folder", err)
}

// stream writes to a terminal, pipe or socket, or to a file that is open already. That
// is used as it is: sockets cannot be opened by name, a pipe whose reader has gone
// would wait for another one, and a file would be written from its start.
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

// file is what is written to, as the caller sees it.
type file struct{ f *os.File }

func (f file) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, system(err)
}

// replace creates a temporary file or folder, fills it, and puts it in the place of
// the target.
func (t *target) replace(create func(path string) (*os.File, error), fill func(f *os.File) error) error {
	f, err := t.create(create)
	if err != nil {
		return system(err)
	}
	replaced := false
	defer func() {
		// What was written is on the disk already.
		_ = f.Close()
		if !replaced { // after a panic too
			_ = os.RemoveAll(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	// The lock is held until the file has its name, where the system allows it.
	if !locksOpen {
		if err := f.Close(); err != nil {
			return system(err)
		}
	}
	if err := replaceFile(f.Name(), t.real); err != nil {
		return system(err)
	}
	replaced = true
	return system(SyncFolder(t.folder))
}

// finish gives a temporary file the mode and the owner of the file that it is to
// replace, and waits for the disk.
func (t *target) finish(f *os.File) error {
	if t.info != nil {
		keepOwner(f, t.info)
		if err := os.Chmod(f.Name(), t.info.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.Sync()
}

// finishFolder waits until a temporary folder is on the disk, and makes room for it.
func (t *target) finishFolder(temp string) error {
	if err := filepath.WalkDir(temp, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = SyncFolder(path)
		}
		return err
	}); err != nil {
		return err
	}
	// An empty folder is in the way of the new one on some systems.
	if err := os.Remove(t.real); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func createFolder(path string) (*os.File, error) {
	if err := os.Mkdir(path, 0o777); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// create creates a temporary file or folder for the target and locks it as long as it
// is open.
func (t *target) create(create func(path string) (*os.File, error)) (*os.File, error) {
	t.removeLeftovers()
	for range attempts {
		f, err := create(t.temporary())
		switch {
		case err == nil && holds(f):
			return f, nil
		case err == nil:
			_ = f.Close()
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
	return nil, errors.New("no free name was found for a temporary file")
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
