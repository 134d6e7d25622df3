// Package bounds reads the bounds of a number from the tags least and most of its field, for flags and requests alike.
package bounds

import (
	"fmt"
	"strconv"
)

// Want describes the numbers that the tags of a field allow; it is empty if n is one of them, or if there are no
// bounds. Without a default, 0 means that the number is not given.
func Want(tag interface{ Get(key string) string }, n int64) string {
	least, err := strconv.ParseInt(tag.Get("least"), 10, 64)
	if err != nil || n == 0 && tag.Get("default") == "" {
		return ""
	}
	most, err := strconv.ParseInt(tag.Get("most"), 10, 64)
	switch {
	case n >= least && (err != nil || n <= most):
		return ""
	case err != nil:
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
