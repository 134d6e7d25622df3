//go:build !linux

package main

import (
	"os"
	"syscall"
)

// apart leaves a command among those of the terminal, whose interrupts it gets too.
func apart() *syscall.SysProcAttr { return nil }

// terminate asks a process to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
