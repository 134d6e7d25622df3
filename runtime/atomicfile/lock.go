package atomicfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked says that another program, or another part of this one, holds a lock.
var ErrLocked = errors.New("it is locked")

// Lock locks the file at path, which it makes if it is not there and leaves there, until
// release is called or the process ends. It does not wait: if another holds the lock the
// error is ErrLocked.
func Lock(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, system(err))
	}
	switch err := lockFile(f); {
	case err == nil:
		return f.Close, nil
	case isLocked(err):
		return nil, errors.Join(fmt.Errorf("%s: %w", path, ErrLocked), f.Close())
	default:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, system(err)), f.Close())
	}
}
