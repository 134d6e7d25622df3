// Package trial summarises repeated measurements, for efoc bench, efoc train and the
// developers' commands. It knows neither flags nor output.
package trial
