//go:build !linux

package reftest

// fenced returns n bytes; there is no fence on this system.
func fenced(n int) []byte { return make([]byte, n) }

func releaseFenced([]byte) {}
