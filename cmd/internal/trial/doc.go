// Package trial holds what the benchmarking commands share: what is said of
// repeated measurements. It knows neither flags nor output.
package trial
