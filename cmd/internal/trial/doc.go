// Package trial holds what the benchmarking commands share: the queries of a
// benchmark file, grouped by shape and bound to a model, and what is said of
// repeated measurements. It knows neither flags nor output.
package trial
