//go:build !amd64 || noasm

package simd

// level is the engine that all kernels use.
const level = refLevel

// best returns the only engine.
func best() engine { return refLevel }

func setLevel(engine) {}

// HasVNNI reports whether products with rows of 8 bits are made of products of bytes.
func HasVNNI() bool { return false }

func setPrefetch(bool) bool { return false }
