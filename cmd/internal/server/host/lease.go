package host

import "sync/atomic"

// lease is what questions with the same assumptions reserve until it is dropped, and they and their jobs have ended; nil
// for none.
type lease struct {
	holds   atomic.Int32
	release func() // nil if nothing is reserved
}

func (l *lease) hold() {
	if l != nil {
		l.holds.Add(1)
	}
}

// Release ends a hold. The call after the last of them releases the reservation.
func (l *lease) Release() {
	if l != nil && l.holds.Add(-1) < 0 && l.release != nil {
		l.release()
	}
}
