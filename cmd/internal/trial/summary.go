// Package trial summarises repeated measurements, for efoc bench and the developers' commands. It knows neither flags nor
// output.
package trial

import "slices"

// Summary holds the statistics of repeated measurements: the median and the extremes.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Summarize summarises measurements. Without any, all fields are 0.
func Summarize(values []float64) Summary {
	n := len(values)
	if n == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Summary{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// Median returns the median of values, 0 if there are none.
func Median(values []float64) float64 { return Summarize(values).Median }
