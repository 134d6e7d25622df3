// Package trial sums up repeated measurements for efoc bench and the developers'
// commands. It knows neither flags nor output.
package trial
