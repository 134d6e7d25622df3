// Package memory reports how much memory a process uses, and how much more is available to it.
package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Available returns the bytes that the process may allocate before the system swaps or kills a process: at least 1,
// or 0 if unknown. On Linux it reads /proc/meminfo and the limits of the process's control groups.
func Available() int64 { return available(os.DirFS("/")) }

// OfSelf returns the current and the maximum memory of this process in bytes. If the system does not report it,
// OfSelf returns the memory that Go has obtained.
func OfSelf() (now, most int64) {
	now, most = OfProcess("self")
	if now > 0 {
		return now, most
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys - stats.HeapReleased), int64(stats.Sys)
}

// OfProcess is OfSelf for any process, by its number; zeros if the system does not report it.
func OfProcess(number string) (now, most int64) {
	status := numbers(os.DirFS("/"), path.Join("proc", number, "status"))
	return status["VmRSS:"] << 10, status["VmHWM:"] << 10
}

func available(system fs.FS) int64 {
	kB, known := numbers(system, "proc/meminfo")["MemAvailable:"]
	if !known || kB > math.MaxInt64>>10 {
		return 0
	}
	least := kB << 10
	for folder, v := range groups(system) {
		if left, limited := v.left(system, folder); limited {
			least = min(least, left)
		}
	}
	return max(1, least)
}

// version is one of the two versions of control groups.
type version struct {
	mount, option string   // file system type and mount option
	controller    string   // in /proc/self/cgroup
	limits        []string // files
	used          string   // file
	// reclaimable are the lines of memory.stat for memory that the kernel reclaims under pressure: mostly pages of
	// files. The kernel's count of cache includes tmpfs and shared memory, which it cannot reclaim.
	reclaimable []string
}

var versions = []version{
	{
		mount: "cgroup2", limits: []string{"memory.max", "memory.high"}, used: "memory.current",
		reclaimable: []string{"active_file", "inactive_file", "slab_reclaimable"},
	},
	{
		mount: "cgroup", option: "memory", controller: "memory",
		limits: []string{"memory.limit_in_bytes"}, used: "memory.usage_in_bytes",
		reclaimable: []string{"total_active_file", "total_inactive_file"}, // including inner groups
	},
}

// groups returns the folders of the process's control group and of every enclosing group. A container may see only
// some of them: then the mount begins at a group below the root.
func groups(system fs.FS) map[string]version {
	found := map[string]version{}
	for line := range strings.Lines(text(system, "proc/self/mountinfo")) {
		// 35 31 0:32 /root /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
		place, kind, _ := strings.Cut(line, " - ")
		at := strings.Fields(place)
		of := strings.Fields(kind)
		if len(at) < 5 || len(of) < 3 {
			continue
		}
		root := at[3]
		mount := strings.TrimPrefix(at[4], "/")
		for _, v := range versions {
			if of[0] != v.mount || v.option != "" && !slices.Contains(strings.Split(of[2], ","), v.option) {
				continue
			}
			inside, ok := strings.CutPrefix(v.group(system), strings.TrimSuffix(root, "/"))
			if !ok {
				inside = "/"
			}
			for folder := path.Join(mount, path.Clean("/"+inside)); ; folder = path.Dir(folder) {
				found[folder] = v
				if len(folder) <= len(mount) {
					break
				}
			}
		}
	}
	return found
}

// group returns the name of the process's group.
func (v version) group(system fs.FS) string {
	for line := range strings.Lines(text(system, "proc/self/cgroup")) {
		// 4:memory:/name, or 0::/name in version 2
		if part := strings.SplitN(strings.TrimSpace(line), ":", 3); len(part) == 3 && slices.Contains(strings.Split(part[1], ","), v.controller) {
			return part[2]
		}
	}
	return "/"
}

// left returns the memory available to a group: its limit minus its use. Memory that the kernel can reclaim does not
// count as used.
func (v version) left(system fs.FS, folder string) (bytes int64, limited bool) {
	used, known := number(text(system, path.Join(folder, v.used)))
	if !known {
		return 0, false
	}
	stat := numbers(system, path.Join(folder, "memory.stat"))
	for _, name := range v.reclaimable {
		used -= stat[name]
	}
	bytes = math.MaxInt64
	for _, file := range v.limits {
		if limit, ok := number(text(system, path.Join(folder, file))); ok { // "max" without a limit
			bytes = min(bytes, max(0, limit-max(0, used)))
			limited = true
		}
	}
	return bytes, limited
}

// text returns the content of a file, nothing if it cannot be read.
func text(system fs.FS, file string) string {
	data, _ := fs.ReadFile(system, file)
	return string(data)
}

// numbers returns the first number after the first word of each line of a file.
func numbers(system fs.FS, file string) map[string]int64 {
	found := map[string]int64{}
	for line := range strings.Lines(text(system, file)) {
		if words := strings.Fields(line); len(words) > 1 {
			if n, ok := number(words[1]); ok {
				found[words[0]] = n
			}
		}
	}
	return found
}

func number(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil && n >= 0
}
