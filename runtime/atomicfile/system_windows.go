package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/natefinch/atomic"
	"golang.org/x/sys/windows"
)

// lockFile locks a file as long as it is open.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
}

// isLocked reports whether lockFile failed because there is a lock already.
func isLocked(err error) bool { return errors.Is(err, windows.ERROR_LOCK_VIOLATION) }

// hold has nothing to do: a file that is open can be neither renamed nor removed.
func hold(*os.File) bool { return true }

// removeLeftover removes a temporary file unless its run still goes on.
func removeLeftover(path string) { _ = os.Remove(path) }

// Links returns how many names the file at path has by hard links.
func Links(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return 0, err
	}
	return int(info.NumberOfLinks), nil
}

// keepOwner does nothing: a new file inherits the permissions of its folder.
func keepOwner(*os.File, fs.FileInfo) {}

// inherited finds nothing: open files have no paths.
func inherited(string) (int, bool) { return 0, false }

func duplicate(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// patience bounds the attempts to replace a file that is open elsewhere.
const patience = 2 * time.Second

// replaceFile renames a file over another one. The system refuses while that one is open elsewhere, for example for
// reading: replaceFile then retries.
func replaceFile(f *os.File, to string) error {
	if err := f.Close(); err != nil {
		return err
	}
	for wait, until := time.Millisecond, time.Now().Add(patience); ; wait *= 2 {
		err := atomic.ReplaceFile(f.Name(), to)
		inUse := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !inUse || time.Now().After(until) {
			return err
		}
		time.Sleep(min(wait, 100*time.Millisecond))
	}
}

// SyncFolder does nothing: renaming waits for the disk.
func SyncFolder(string) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isTooLarge(err error) bool { return errors.Is(err, windows.ERROR_FILE_TOO_LARGE) }
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
