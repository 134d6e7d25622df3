//go:build !amd64 || noasm

package simd

var engines = []tested{portable}

var prefetching []tested
