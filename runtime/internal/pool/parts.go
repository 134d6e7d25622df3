package pool

import (
	"cmp"
	"runtime"
)

// maxReaders bounds the goroutines that read large arrays once: a few saturate memory bandwidth.
const maxReaders = 4

// InParts calls check for consecutive parts of 0 to n-1 of the given size, up to four at a time, and returns the
// error of the first part that fails.
func InParts(n, size int, check func(lo, hi int) error) error {
	parts := (n + size - 1) / size
	if parts < 2 {
		return check(0, n)
	}
	workers := New(min(maxReaders, runtime.GOMAXPROCS(0)))
	defer workers.Close()
	errs := make([]error, parts)
	workers.Each(parts, func(_, i int) { errs[i] = check(i*size, min((i+1)*size, n)) })
	return cmp.Or(errs...)
}
