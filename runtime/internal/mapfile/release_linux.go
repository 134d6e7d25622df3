package mapfile

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Release removes the pages of the file from the memory of the process. Later accesses read them again, mostly from
// the system's cache.
func (f *File) Release() {
	// Advice only: nothing depends on it.
	_ = unix.Madvise(f.Data, unix.MADV_DONTNEED)
}

// ReleasePart is Release for the pages that lie entirely in a part of Data. It ignores other memory, and a nil f.
func (f *File) ReleasePart(part []byte) {
	if f == nil || len(part) == 0 || len(f.Data) == 0 {
		return
	}
	page := os.Getpagesize() // Data is page-aligned
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
