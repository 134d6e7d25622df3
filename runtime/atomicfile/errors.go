package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Error says which file could not be written, why, and what to do.
type Error struct {
	// Path is the file as the caller named it.
	Path string
	// Hint says what to do; it is empty where the cause says so itself.
	Hint string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("write %s: %v", e.Path, e.Err)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// systemError is an error of the system about a temporary file. Messages leave out
// the file's name.
type systemError struct{ error }

func (e systemError) Unwrap() error { return e.error }

func (e systemError) Error() string {
	switch e := e.error.(type) {
	case *fs.PathError:
		return e.Err.Error()
	case *os.LinkError:
		return e.Err.Error()
	}
	return e.error.Error()
}

func system(err error) error {
	if err == nil {
		return nil
	}
	return systemError{err}
}

// explain adds the path to an error, and what to do about it.
func (t *target) explain(err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Path: t.path, Err: err}
	if !errors.As(err, new(systemError)) {
		return e
	}
	switch folder := filepath.Clean(t.folder); {
	case isFull(err):
		e.Hint = "make room, or name a file on another disk"
	case isTooLarge(err):
		e.Hint = "the file system or a limit of the process (ulimit -f) allows no larger file"
	case isReadOnly(err):
		e.Hint = "name another folder than " + folder
	case errors.Is(err, fs.ErrPermission):
		e.Hint = fmt.Sprintf("change the permissions of the file or of the folder %s, or name another folder", folder)
	}
	return e
}

// Explain gives a system error about a file that is written in another way, such as
// a journal, the text that Write gives it.
func Explain(path string, err error) error {
	t := &target{path: path, folder: filepath.Dir(path)}
	return t.explain(system(err))
}

// NoRoom reports whether a file could not be written because the disk is full, or the file
// would be larger than the file system, a quota or a limit of the process allows.
func NoRoom(err error) bool { return isFull(err) || isTooLarge(err) }
