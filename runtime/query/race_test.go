//go:build race

package query

// racing says that the race detector runs, with which pools of the standard library lose
// what they hold at random.
const racing = true
