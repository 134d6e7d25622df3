package memory

import (
	goruntime "runtime"
	"testing"
	"testing/fstest"
)

// TestAvailable computes what is left by hand: by the machine, and by the control groups
// that a process is in.
func TestAvailable(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	machine := file("MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n")
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
		known bool
	}{
		"another system": {fstest.MapFS{}, 0, false},
		"old kernel":     {fstest.MapFS{"proc/meminfo": file("MemTotal: 9000 kB\n")}, 0, false},
		"no groups":      {fstest.MapFS{"proc/meminfo": machine}, 1000 << 10, true},
		"no limit": {fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("0::/a.slice\n"),
			"sys/fs/cgroup/a.slice/memory.max": file("max\n"), "sys/fs/cgroup/a.slice/memory.current": file("5000\n"),
		}, 1000 << 10, true},
		"limit": {fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("1:cpu:/x\n0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("400000\n"), "sys/fs/cgroup/a/b/memory.current": file("300000\n"),
			"sys/fs/cgroup/a/b/memory.stat": file("anon 50000\nfile 250000\n"),
		}, 350_000, true},
		"outer limit": {fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/b/memory.current": file("300000\n"),
			"sys/fs/cgroup/a/memory.max": file("200000\n"), "sys/fs/cgroup/a/memory.current": file("150000\n"),
		}, 50_000, true},
		"container over its limit": {fstest.MapFS{
			"proc/meminfo": machine, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("1000\n"), "sys/fs/cgroup/memory.current": file("2000\n"),
		}, 0, true},
	} {
		got, known := available(c.files)
		if got != c.want || known != c.known {
			t.Errorf("%s: %d, %v; want %d, %v", name, got, known, c.want, c.known)
		}
	}
	if n, known := Available(); goruntime.GOOS == "linux" && (!known || n < 1<<20) {
		t.Errorf("this machine has %d bytes, %v", n, known)
	}
}
