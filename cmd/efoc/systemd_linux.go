package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time of the monotonic clock, which orders reloads for systemd.
func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
