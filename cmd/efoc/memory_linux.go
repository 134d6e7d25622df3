package main

import (
	"bytes"
	"os"
	"strconv"
)

// availableMemory returns the bytes of memory that a process can take: what the
// system has available, and what the limit of the process group leaves, if there is
// one. It returns 0 if that is not known.
func availableMemory() int64 {
	return leastMemory(os.ReadFile)
}

// processMemory returns the bytes of memory that this process has now, and the most that it
// has had.
func processMemory() (now, most int64) { return memoryOf("self") }

// memoryOf returns the same of any process, by its number; zeros if there is none.
func memoryOf(process string) (now, most int64) {
	text, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) == 3 {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			switch string(fields[0]) {
			case "VmRSS:":
				now = kilobytes << 10
			case "VmHWM:":
				most = kilobytes << 10
			}
		}
	}
	return now, most
}

// leastMemory reads the figures with the given function.
func leastMemory(read func(path string) ([]byte, error)) int64 {
	number := func(path string) (int64, bool) {
		text, err := read(path)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // max: no bound
		return n, err == nil
	}
	available := int64(0)
	if text, err := read("/proc/meminfo"); err == nil {
		for line := range bytes.Lines(text) {
			fields := bytes.Fields(line)
			if len(fields) == 3 && string(fields[0]) == "MemAvailable:" {
				kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64)
				available = kilobytes << 10
			}
		}
	}
	for _, group := range [][2]string{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, bounded := number(group[0])
		if used, ok := number(group[1]); bounded && ok && available > 0 {
			available = min(available, max(1, limit-used))
		}
	}
	return available
}
