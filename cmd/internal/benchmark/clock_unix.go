//go:build linux || darwin || freebsd

package benchmark

import (
	"time"

	"golang.org/x/sys/unix"
)

// processor returns the processor time that this process has taken.
func processor() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) // which these systems have
	return time.Duration(t.Nano())
}
