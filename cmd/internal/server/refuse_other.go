//go:build !linux

package server

import "net"

// refuseNew is there on Linux alone.
func refuseNew(net.Listener) error { return nil }

// queued is known on Linux alone.
func queued(net.Listener) int { return 0 }
