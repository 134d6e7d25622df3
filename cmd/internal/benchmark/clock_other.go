//go:build !linux && !darwin && !freebsd

package benchmark

import "time"

// processor is the wall clock where the system's processor times are too coarse.
func processor() time.Duration { return wall() }
