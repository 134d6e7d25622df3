//go:build amd64 && !noasm

package product

import "syscall"

// tilesAllowed asks the system to permit the process to use tiles, whose state is large: Linux saves it only
// for processes that have asked. Linux refuses if it does not support AMX, or if a thread's signal stack is too
// small, as may happen with threads created by C code.
func tilesAllowed() bool {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
