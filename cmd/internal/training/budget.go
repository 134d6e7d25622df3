package training

import (
	"fmt"
	"time"
)

// moreBudget returns a budget to try next, in the syntax of --budget: three times the last one or, if that is more,
// one and a half times the time of enoughEpochs, because training gets two thirds. An epoch takes the given seconds.
func moreBudget(budget time.Duration, epoch float64) string {
	next := max(3*budget, time.Duration(1.5*enoughEpochs*epoch*float64(time.Second)))
	step := time.Hour
	for _, smaller := range []time.Duration{30 * time.Minute, 10 * time.Minute, 5 * time.Minute, time.Minute} {
		if next <= 6*smaller {
			step = smaller
		}
	}
	next = (next + step - 1) / step * step
	if next%time.Hour == 0 {
		return fmt.Sprintf("%dh", next/time.Hour)
	}
	return fmt.Sprintf("%dm", next/time.Minute)
}
