//go:build !race

package require

// Racing says that the race detector runs, which keeps memory for every goroutine that there was.
const Racing = false
