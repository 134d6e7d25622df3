package memory

import (
	"os"
	goruntime "runtime"
	"strconv"
	"testing"
	"testing/fstest"
)

const (
	mib = 1 << 20
	gib = 1 << 30
	// Lines of /proc/self/mountinfo, in proc(5)'s words: mount number, parent, device, root, mount point …
	mount2 = "25 30 0:22 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"
	mount1 = "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
)

// TestAvailable computes the available memory by hand: by the machine, and by the control groups that
// enclose a process.
func TestAvailable(t *testing.T) {
	type tree map[string]string
	for name, c := range map[string]struct {
		files tree
		want  int64
	}{
		"another system": {tree{}, 0},
		"old kernel":     {tree{"proc/meminfo": "MemTotal: 9000 kB\n"}, 0},
		"no groups":      {tree{}, 8 * gib},
		"no limit": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/a.slice\n",
			"sys/fs/cgroup/a.slice/memory.max": "max\n", "sys/fs/cgroup/a.slice/memory.high": "max\n",
			"sys/fs/cgroup/a.slice/memory.current": "5000\n",
		}, 8 * gib},
		// systemd-run -p MemoryMax=2G, after a process has read a file of 1.5 GiB: anon is the
		// process's own memory.
		"systemd-run": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/system.slice/run-u7.service\n",
			"sys/fs/cgroup/system.slice/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.current": "9000000000\n",
			"sys/fs/cgroup/system.slice/run-u7.service/memory.max":     strconv.Itoa(2 * gib),
			"sys/fs/cgroup/system.slice/run-u7.service/memory.high":    "max\n",
			"sys/fs/cgroup/system.slice/run-u7.service/memory.current": strconv.Itoa(1800 * mib),
			"sys/fs/cgroup/system.slice/run-u7.service/memory.stat":    stat2(264*mib, 1536*mib, 0),
		}, 2*gib - 264*mib},
		// 1 GiB of files in /dev/shm is not for the kernel to take back.
		"tmpfs": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": strconv.Itoa(2 * gib), "sys/fs/cgroup/a/memory.current": strconv.Itoa(1800 * mib),
			"sys/fs/cgroup/a/memory.stat": stat2(264*mib, 512*mib, 1024*mib),
		}, 2*gib - 264*mib - 1024*mib},
		"outer limit": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "300000\n",
			"sys/fs/cgroup/a/memory.max": "200000\n", "sys/fs/cgroup/a/memory.current": "150000\n",
		}, 50_000},
		"slowed down": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "400000\n", "sys/fs/cgroup/a/memory.high": "300000\n", "sys/fs/cgroup/a/memory.current": "100000\n",
		}, 200_000},
		"container over its limit": {tree{
			"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "2000\n",
		}, 1},
		"version 1, nested": {tree{
			"proc/self/mountinfo": mount1, "proc/self/cgroup": "5:cpuset:/\n4:memory:/outer/inner\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":             "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":             "23000000000\n",
			"sys/fs/cgroup/memory/outer/memory.limit_in_bytes":       strconv.Itoa(2 * gib),
			"sys/fs/cgroup/memory/outer/memory.usage_in_bytes":       strconv.Itoa(1900 * mib),
			"sys/fs/cgroup/memory/outer/memory.stat":                 stat1(300*mib, 1400*mib, 200*mib),
			"sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/outer/inner/memory.usage_in_bytes": strconv.Itoa(100 * mib),
		}, 2*gib - 500*mib},
		"version 1, a container that sees its own group": {tree{
			"proc/self/mountinfo":                        "35 31 0:32 /docker/c1 /sys/fs/cgroup/memory ro,relatime - cgroup cgroup rw,memory\n",
			"proc/self/cgroup":                           "4:memory:/docker/c1\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": strconv.Itoa(gib),
			"sys/fs/cgroup/memory/memory.usage_in_bytes": strconv.Itoa(200 * mib),
			"sys/fs/cgroup/memory/memory.stat":           stat1(150*mib, 50*mib, 0),
		}, gib - 150*mib},
		"both versions, mounted elsewhere": {tree{
			"proc/self/mountinfo":            "35 31 0:32 / /cg/mem rw - cgroup cgroup rw,memory\n41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n",
			"proc/self/cgroup":               "4:cpu,memory:/a\n0::/b\n",
			"cg/mem/a/memory.limit_in_bytes": strconv.Itoa(gib), "cg/mem/a/memory.usage_in_bytes": strconv.Itoa(200 * mib),
			"cg/unified/b/cgroup.procs": "7\n",
		}, gib - 200*mib},
	} {
		if _, ok := c.files["proc/meminfo"]; !ok && c.want > 0 {
			c.files["proc/meminfo"] = "MemTotal: 9000000 kB\nMemFree: 10 kB\nMemAvailable:    8388608 kB\n"
		}
		system := fstest.MapFS{}
		for path, text := range c.files {
			system[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := available(system); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if n := Available(); goruntime.GOOS == "linux" && n < mib {
		t.Errorf("this machine has %d bytes", n)
	}
}

// stat2 is memory.stat of version 2: file counts shmem, too, whose pages are in the lists of
// anonymous memory.
func stat2(anon, files, shmem int) string {
	return "anon " + strconv.Itoa(anon) + "\nfile " + strconv.Itoa(files+shmem) + "\nshmem " + strconv.Itoa(shmem) +
		"\ninactive_anon " + strconv.Itoa(anon+shmem) + "\nactive_anon 0\ninactive_file " + strconv.Itoa(files-4096) + "\nactive_file 4096\n"
}

// stat1 is memory.stat of version 1, of a group whose memory is all in inner groups.
func stat1(anon, files, shmem int) string {
	return "cache 0\nrss 0\ninactive_file 0\nactive_file 0\n" +
		"total_cache " + strconv.Itoa(files+shmem) + "\ntotal_rss " + strconv.Itoa(anon) + "\ntotal_shmem " + strconv.Itoa(shmem) +
		"\ntotal_inactive_anon " + strconv.Itoa(anon+shmem) + "\ntotal_inactive_file 4096\ntotal_active_file " + strconv.Itoa(files-4096) + "\n"
}

// TestOf asks about this process: it has memory, and has had as much.
func TestOf(t *testing.T) {
	now, most := OfSelf()
	if now < mib || most < now {
		t.Errorf("this process has %d bytes, and has had %d at most", now, most)
	}
	if now, most := OfProcess(strconv.Itoa(os.Getpid())); goruntime.GOOS == "linux" && (now < mib || most < now) {
		t.Errorf("by its number it has %d bytes, and has had %d at most", now, most)
	}
	if now, most := OfProcess("none"); now != 0 || most != 0 {
		t.Errorf("no process has %d bytes, and has had %d", now, most)
	}
}
