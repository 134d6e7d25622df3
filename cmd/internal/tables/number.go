package tables

import "fmt"

// Number formats a number of things, whose noun ends in s in the plural.
func Number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
