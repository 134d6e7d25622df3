//go:build !linux

package main

import "syscall"

// apart leaves a command among those of the terminal, whose interrupts it gets too.
func apart() *syscall.SysProcAttr { return nil }
