//go:build !linux

package largepages

// Make returns a slice of n zeros. The system chooses its pages.
func Make[T Number](n int) []T { return make([]T, n) }
