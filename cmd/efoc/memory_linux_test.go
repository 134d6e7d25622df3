package main

import (
	"os"
	"testing"
)

// TestAvailableMemory reads figures as the kernel writes them.
func TestAvailableMemory(t *testing.T) {
	meminfo := "MemTotal: 64 kB\nMemFree:  1 kB\nMemAvailable:   2048 kB\n"
	for _, c := range []struct {
		files map[string]string
		want  int64
	}{
		{map[string]string{"/proc/meminfo": meminfo}, 2 << 20},
		{map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory.current": "7\n"}, 2 << 20},
		{map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "1048576\n", "/sys/fs/cgroup/memory.current": "48576\n"}, 1_000_000},
		{map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "500\n", "/sys/fs/cgroup/memory/memory.usage_in_bytes": "700\n"}, 1},
		{nil, 0},
	} {
		got := leastMemory(func(path string) ([]byte, error) {
			if text, ok := c.files[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		})
		if got != c.want {
			t.Errorf("%v: %d bytes, want %d", c.files, got, c.want)
		}
	}
}
