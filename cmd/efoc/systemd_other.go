//go:build !linux

package main

import "time"

// monotonic is for systemd, which other systems lack.
func monotonic() time.Duration { return 0 }
