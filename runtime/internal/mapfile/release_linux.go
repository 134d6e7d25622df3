package mapfile

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release takes the pages of the file out of the memory of the process. Those that are used
// after are read again, mostly from the cache of the system.
func (f *File) Release() {
	// It is advice: nothing depends on it.
	_ = unix.Madvise(f.Data, unix.MADV_DONTNEED)
}

// ReleasePart is Release for a part of Data, of those pages that have nothing else. It does
// nothing with what lies elsewhere, or if f is nil.
func (f *File) ReleasePart(part []byte) {
	if f == nil || len(part) == 0 || len(f.Data) == 0 {
		return
	}
	page := os.Getpagesize() // Data begins at one
	lo := int(uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&f.Data[0])))
	hi := lo + len(part)
	if lo < 0 || hi > len(f.Data) {
		return
	}
	lo = (lo + page - 1) / page * page
	if hi < len(f.Data) {
		hi = hi / page * page
	}
	if lo < hi {
		_ = unix.Madvise(f.Data[lo:hi], unix.MADV_DONTNEED)
	}
}
