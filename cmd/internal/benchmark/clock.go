package benchmark

import "time"

// clock returns the time since some start.
type clock func() time.Duration

// began is the start of the wall clock.
var began = time.Now()

func wall() time.Duration { return time.Since(began) }
