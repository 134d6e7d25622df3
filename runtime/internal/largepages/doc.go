// Package largepages allocates large slices on large pages. A sweep of a table reads every page of it: with pages of 2 MB
// the processor translates 512 times fewer addresses than with 4 kB, and reads memory faster.
package largepages

// Number is the element type of the slices.
type Number interface{ byte | int8 | float32 }
