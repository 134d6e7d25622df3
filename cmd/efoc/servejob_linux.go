package main

import (
	"errors"
	"os"
	"syscall"
)

// apart keeps a command out of the way of the terminal's interrupts, and ends it with this
// process, however that ends.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// terminate asks a process to end. One that is stopped takes the second signal first.
func terminate(p *os.Process) error {
	return errors.Join(p.Signal(syscall.SIGTERM), p.Signal(syscall.SIGCONT))
}
