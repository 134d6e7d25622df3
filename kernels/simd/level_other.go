//go:build !amd64 || noasm

package simd

// level is the engine that all kernels use.
const level = refLevel

// best returns the only engine.
func best() engine { return refLevel }

func setLevel(engine) {}

func setPrefetch(bool) bool { return false }
