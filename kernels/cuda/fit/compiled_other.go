//go:build !cuda

package fit

var compiled []byte
