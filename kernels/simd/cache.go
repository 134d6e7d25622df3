package simd

import (
	"os"
	"strconv"
)

// unknownCache is the size of the second-level cache if the processor does not report it.
const unknownCache = 1 << 20

// cache is the result of CacheSize.
var cache = readCacheSize(os.Getenv("EFOC_L2"))

// CacheSize returns the size in bytes of the second-level cache of a core: EFOC_L2, or else the size that the
// processor reports.
func CacheSize() int { return cache }

// shared is half of the third-level cache: other cores need the rest.
var shared = cacheSize(3) / 2

// Far reports whether a table of the given size comes from memory whenever it is read.
func Far(bytes int) bool { return bytes > shared }

// readCacheSize returns environment if it is a positive number, otherwise the size that the processor reports.
func readCacheSize(environment string) int {
	if bytes, err := strconv.Atoi(environment); err == nil && bytes > 0 {
		return bytes
	}
	if bytes := cacheSize(2); bytes > 0 {
		return bytes
	}
	return unknownCache
}
