//go:build !amd64 || noasm

package simd

// assembledInt8 are the engines in assembly.
func assembledInt8() []int8Engine { return nil }
