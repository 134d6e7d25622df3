// Package grow appends to lists that several snapshots share, without copying them if the memory after them is free.
package grow

import "sync/atomic"

// End is the end of a snapshot's lists in memory that several snapshots share. Only the snapshot that moves it first
// may write after it. The nil End has no room after it.
type End struct{ end atomic.Int64 }

// Take moves the end of lists of n entries by more. It reports false, with a new end, if the room after them is not
// free.
func (t *End) Take(n, more int) (*End, bool) {
	if t != nil && t.end.CompareAndSwap(int64(n), int64(n+more)) {
		return t, true
	}
	return At(n + more), false
}

// At returns the end of lists of n entries whose memory is free after them.
func At(n int) *End {
	t := &End{}
	t.end.Store(int64(n))
	return t
}

// Append appends to a list in place if own is set, otherwise to a copy.
func Append[T any](list, more []T, own bool) []T {
	switch {
	case len(more) == 0:
		return list
	case !own:
		list = list[:len(list):len(list)]
	}
	return append(list, more...)
}
