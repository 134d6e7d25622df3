// Package memory says how much memory a process may still take.
package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// Available returns the bytes that the process may take before the system has to swap
// or kill a process; known is false where the system does not say. Linux does, in
// /proc/meminfo and in the control groups of the process.
func Available() (bytes int64, known bool) { return available(os.DirFS("/")) }

func available(system fs.FS) (int64, bool) {
	kB, known := number(system, "proc/meminfo", "MemAvailable:")
	if !known || kB > math.MaxInt64>>10 {
		return 0, false
	}
	least := kB << 10
	for _, group := range groups(system) {
		if left, ok := leftOf(system, group); ok {
			least = min(least, left)
		}
	}
	return least, true
}

// groups lists the folders of the process's control group, version 2, and of all that it
// is in. In a container the outermost may have a limit too.
func groups(system fs.FS) (list []string) {
	const root = "sys/fs/cgroup"
	text, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for group := path.Join(root, path.Clean("/"+name)); ; group = path.Dir(group) {
			list = append(list, group)
			if group == root {
				break
			}
		}
	}
	return list
}

// leftOf returns what a group may still take: its limit less its use, not counting the
// pages of files, which can be reclaimed.
func leftOf(system fs.FS, group string) (int64, bool) {
	limit, limited := number(system, path.Join(group, "memory.max"), "") // "max" without a limit
	used, known := number(system, path.Join(group, "memory.current"), "")
	if !limited || !known {
		return 0, false
	}
	files, _ := number(system, path.Join(group, "memory.stat"), "file ")
	return max(0, limit-max(0, used-files)), true
}

// number returns the number in the first line of a file that begins with the prefix,
// behind that.
func number(system fs.FS, file, prefix string) (int64, bool) {
	text, _ := fs.ReadFile(system, file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, err := strconv.ParseInt(first, 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
