//go:build !amd64 || noasm

package simd

var engines = []tested{portable}
