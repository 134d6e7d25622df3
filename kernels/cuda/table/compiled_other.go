//go:build !cuda

package table

var compiled []byte
