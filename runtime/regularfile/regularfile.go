// Package regularfile opens files to be read to their end: files that a user names, and files in a folder. A pipe, a
// terminal or a device has no end, or none until another program writes one, so the package refuses everything but
// regular files. It never waits for another program, and a path cannot change its target between check and use.
package regularfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Error is the error for a path that names something other than a regular file.
type Error struct {
	// Path is the path as the caller gave it.
	Path string
	// Mode contains the type.
	Mode fs.FileMode
}

// Error says what the path names.
func (e *Error) Error() string {
	what := "a device"
	switch {
	case e.Mode.IsDir():
		what = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case e.Mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Sprintf("%s: not a regular file, but %s", e.Path, what)
}

// Open opens a regular file for reading and returns its size. Symbolic links are followed.
func Open(path string) (f *os.File, size int64, err error) {
	return OpenFile(path, os.O_RDONLY, 0)
}

// OpenFile is Open with the flags and permissions of os.OpenFile.
func OpenFile(path string, flag int, perm fs.FileMode) (f *os.File, size int64, err error) {
	// Opening a device may already have an effect.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, 0, &Error{path, info.Mode()}
	}

	// Another program may have replaced the file since. Without the flag, opening a pipe blocks.
	f, err = os.OpenFile(path, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Error{path, info.Mode()}
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// Read returns the contents of a regular file. It fails if the file has, or grows to, more than limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, tooLarge(path, size, limit)
	}

	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead) // so that reading to the end needs no second buffer
	if _, err := text.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if n := int64(text.Len()); n > limit {
		return nil, tooLarge(path, n, limit)
	}
	return text.Bytes(), nil
}

func tooLarge(path string, size, limit int64) error {
	return fmt.Errorf("%s: %d bytes are over the limit of %d bytes", path, size, limit)
}
