package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Error says which file or folder could not be written, why, and what to do.
type Error struct {
	// Op is what was tried, Path the file or folder as the caller named it.
	Op, Path string
	// Hint says what to do; it is empty where the cause says so itself.
	Hint string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// systemError is an error of the system about a temporary file, of whose name
// the user need not know.
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
func (t *target) explain(op string, err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err // of a file in the folder: it says all
	}
	e := &Error{Op: op, Path: t.path, Err: err}
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
	return t.explain("write", system(err))
}

// NoRoom reports whether a file could not be written because the disk is full, or the file
// would be larger than the file system, a quota or a limit of the process allows.
func NoRoom(err error) bool { return isFull(err) || isTooLarge(err) }

// visible returns an error about a file in a temporary folder with the name that
// the file was to have.
func (t *target) visible(temp string, err error) error {
	own := (*Error)(nil)
	if !errors.As(err, &own) {
		return err
	}
	inside, ok := strings.CutPrefix(own.Path, temp+string(filepath.Separator))
	if !ok {
		return err
	}
	shown := *own
	shown.Path = filepath.Join(t.path, inside)
	return &shown
}
