//go:build !amd64 || noasm

package simd

// level is the engine that all kernels use.
const level = refLevel
