package largepages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// size is the size of a large page.
const size = 2 << 20

// Make returns a slice of n zeros. It requests the large pages within the slice before anything is written.
func Make[T Number](n int) []T {
	s := make([]T, n)
	if n == 0 {
		return s
	}
	data := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), n*int(unsafe.Sizeof(s[0])))
	lo := -int(uintptr(unsafe.Pointer(&data[0]))) & (size - 1)
	hi := lo + (len(data)-lo)&^(size-1)
	if lo < hi {
		_ = unix.Madvise(data[lo:hi], unix.MADV_HUGEPAGE) // advice only: nothing depends on it
	}
	return s
}
