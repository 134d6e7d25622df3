//go:build unix

package load

import "syscall"

// processorSeconds returns the processor time of this process.
func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Nano()) / 1e9 }
	return seconds(u.Utime) + seconds(u.Stime)
}
