//go:build !linux

package main

import goruntime "runtime"

// availableMemory returns 0: it is not known here.
func availableMemory() int64 { return 0 }

// processMemory returns the bytes of memory that this process has now, and the most that it
// has had: what Go has taken from the system.
func processMemory() (now, most int64) {
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return int64(stats.Sys - stats.HeapReleased), int64(stats.Sys)
}
