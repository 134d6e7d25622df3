package training

import (
	"fmt"
	"math"
	"time"
)

// moreBudget returns a budget to try next, in the syntax of --budget: three times the last one or, if that is more,
// one and a half times the time of enoughEpochs, because training gets two thirds. An epoch takes the given seconds.
func moreBudget(budget time.Duration, epoch float64) string {
	minutes := max(3*budget.Minutes(), 1.5*enoughEpochs*epoch/60)
	return fmt.Sprintf("%.0fm", math.Ceil(minutes))
}
