//go:build !amd64 || noasm

package simd

// detect returns the only engine.
func detect() engine { return refLevel }

// HasVNNI reports whether products with rows of 8 bits are made of products of bytes.
func HasVNNI() bool { return false }

func setPrefetch(bool) bool { return false }
