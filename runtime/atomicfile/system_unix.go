//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/natefinch/atomic"
	"golang.org/x/sys/unix"
)

// lockFile locks a file as long as it is open.
func lockFile(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// isLocked reports whether lockFile failed because there is a lock already.
func isLocked(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// hold locks a new temporary file, and reports whether it is still there under its name: between
// its creation and the lock another run may have taken it for a leftover.
func hold(f *os.File) bool {
	switch err := lockFile(f); {
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

// removeLeftover removes a temporary file unless its run still goes on.
func removeLeftover(path string) {
	if f, err := os.Open(path); err == nil {
		if lockFile(f) == nil {
			_ = os.Remove(path)
		}
		_ = f.Close()
	}
}

// replaceFile puts a file, locked until then, in the place of another one, which those who have it
// open keep.
func replaceFile(f *os.File, to string) error { return atomic.ReplaceFile(f.Name(), to) }

// Links returns how many names the file at path has by hard links.
func Links(path string) (int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink), nil
	}
	return 1, nil
}

// keepOwner gives f to the owner of the file that it replaces, where the process
// may do that.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}

// inherited returns the number of an open file of the process that a path such as
// /dev/fd/63 names.
func inherited(path string) (fd int, ok bool) {
	switch path {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	number, ok := strings.CutPrefix(path, "/dev/fd/")
	fd, err := strconv.Atoi(number)
	return fd, ok && err == nil
}

// duplicate returns another descriptor of an open file, with the same offset.
func duplicate(fd int, path string) (*os.File, error) {
	same, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(same), path), nil
}

// SyncFolder waits until the names in a folder are on the disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		// A folder may let one write but not read: its names are written later.
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	err = f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // a file system that keeps folders otherwise
	}
	return errors.Join(err, f.Close())
}

func isFull(err error) bool     { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
func isTooLarge(err error) bool { return errors.Is(err, unix.EFBIG) }
func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }
