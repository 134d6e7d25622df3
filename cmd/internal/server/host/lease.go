package host

import "sync/atomic"

// lease is what a question reserves for its assumptions until it and its jobs have ended; nil for none.
type lease struct {
	jobs    atomic.Int32
	release func()
}

func (l *lease) hold() {
	if l != nil {
		l.jobs.Add(1)
	}
}

// Release ends the use by the question or by a job. The last call releases the reservation.
func (l *lease) Release() {
	if l != nil && l.jobs.Add(-1) < 0 {
		l.release()
	}
}
