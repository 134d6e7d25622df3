package simd

import "syscall"

// fenced returns at least n bytes followed by unreadable memory.
func fenced(n int) []byte {
	page := syscall.Getpagesize()
	size := (n + page) / page * page
	b, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	if err := syscall.Mprotect(b[size:], syscall.PROT_NONE); err != nil {
		panic(err)
	}
	return b[:size]
}

func releaseFenced(b []byte) {
	if err := syscall.Munmap(b[:cap(b)]); err != nil {
		panic(err)
	}
}
