package simd

import (
	"os"
	"strconv"
)

// unknownCache is the size of the second-level cache where the processor does not say.
const unknownCache = 1 << 20

// cache is what CacheSize returns.
var cache = readCacheSize(os.Getenv("EFOC_L2"))

// CacheSize returns the size in bytes of the second-level cache of a core: what EFOC_L2 says, otherwise what the
// processor says.
func CacheSize() int { return cache }

// readCacheSize returns the value of the environment if it is a number, otherwise what the processor says.
func readCacheSize(environment string) int {
	if bytes, err := strconv.Atoi(environment); err == nil && bytes >= 0 {
		return bytes
	}
	if bytes := cacheSize(); bytes > 0 {
		return bytes
	}
	return unknownCache
}
