//go:build amd64 && !noasm

package product

import "syscall"

// tilesAllowed asks the system to let the process use tiles, whose state is large:
// Linux keeps it for those processes only that have asked. It refuses where it does
// not know AMX, or where a thread has too small a stack for signals, as one that C
// code made may have.
func tilesAllowed() bool {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
