package host

import "sync/atomic"

// lease is what a question reserves for its assumptions until it and its jobs have ended. The zero value, for none, has
// one user.
type lease struct {
	jobs    atomic.Int32
	release func()
}

func (l *lease) hold() { l.jobs.Add(1) }

// Release ends a use. The last one releases what is reserved.
func (l *lease) Release() {
	if l.jobs.Add(-1) < 0 && l.release != nil {
		l.release()
	}
}
