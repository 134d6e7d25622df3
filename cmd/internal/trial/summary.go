// Package trial summarises repeated measurements, for efoc bench, efoc train and the
// developers' commands. It knows neither flags nor output.
package trial

import "slices"

// Summary holds the statistics of repeated measurements: the median, the quartiles and the extremes.
type Summary struct {
	Count  int     `json:"count"`
	Median float64 `json:"median"`
	// Q1 and Q3 are the quartiles.
	Q1  float64 `json:"q1"`
	Q3  float64 `json:"q3"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Summarize summarises measurements. Without any, all fields are 0.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Summary{
		Count: len(sorted), Median: Quantile(sorted, 0.5), Q1: Quantile(sorted, 0.25), Q3: Quantile(sorted, 0.75),
		Min: sorted[0], Max: sorted[len(sorted)-1],
	}
}

// Median returns the median of values, 0 if there are none.
func Median(values []float64) float64 { return Summarize(values).Median }

// Quantile interpolates between the two sorted values around rank p·(n−1), the usual definition, which gonum lacks.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}
