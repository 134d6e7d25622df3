//go:build !amd64 || noasm

package simd

// detect returns the only engine.
func detect() engine { return refLevel }

func setPrefetch(bool) bool { return false }

func cacheSize(uint32) int { return 0 }
