package main

import "syscall"

// apart keeps a command out of the way of the terminal's interrupts, and ends it with this
// process, however that ends.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
