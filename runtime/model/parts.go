package model

import (
	"cmp"
	goruntime "runtime"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// maxCheckers bounds the goroutines that sum and check a bundle: a few saturate the memory.
const maxCheckers = 4

// inParts calls check for parts of 0 to n-1 of the given size, several at a time, and returns
// the error of the first part that has one.
func inParts(n, size int, check func(lo, hi int) error) error {
	parts := (n + size - 1) / size
	if parts < 2 {
		return check(0, n)
	}
	workers := pool.New(min(maxCheckers, goruntime.GOMAXPROCS(0)))
	defer workers.Close()
	errs := make([]error, parts)
	workers.Each(parts, func(_, i int) { errs[i] = check(i*size, min((i+1)*size, n)) })
	return cmp.Or(errs...)
}
