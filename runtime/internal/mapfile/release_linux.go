package mapfile

import "golang.org/x/sys/unix"

// Release takes the pages of the file out of the memory of the process. Those that are used
// after are read again, mostly from the cache of the system.
func (f *File) Release() {
	// It is advice: nothing depends on it.
	_ = unix.Madvise(f.Data, unix.MADV_DONTNEED)
}
