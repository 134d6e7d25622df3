package tables

import "time"

// Seconds formats a time to about three digits.
func Seconds(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for unit := time.Second; unit > time.Microsecond; unit /= 10 {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
