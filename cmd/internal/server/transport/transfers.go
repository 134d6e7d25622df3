package transport

import (
	"container/list"
	"net/http"
	"sync"
	"time"
)

// transfers are the incoming bodies, or the outgoing ones. They do not count as queries in flight, so that slow
// clients do not block others. If there are too many, or if they hold too many bytes, the longest-running one is cut
// off, so that stalled transfers do not starve others.
type transfers struct {
	room     Room
	deadline func(c *http.ResponseController, t time.Time) error // sets the deadline of a connection

	mu     sync.Mutex
	time   time.Duration // for each; 0 keeps the current deadline
	active list.List     // of *transfer, the oldest first
	held   int64         // bytes of them
}

// transfer is a body in transit.
type transfer struct {
	of      *transfers
	conn    *http.ResponseController
	element *list.Element // nil once it is over
	bytes   int64
	cut     bool // cut off for others
}

// enter starts a transfer on a connection and returns its time limit.
func (ts *transfers) enter(conn *http.ResponseController) (*transfer, time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := &transfer{of: ts, conn: conn}
	if ts.time > 0 {
		ts.deadline(conn, time.Now().Add(ts.time))
	}
	t.element = ts.active.PushBack(t)
	ts.makeRoom()
	return t, ts.time
}

// Write counts bytes held for a transfer.
func (t *transfer) Write(b []byte) (int, error) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.element != nil {
		t.bytes += int64(len(b))
		t.of.held += int64(len(b))
		t.of.makeRoom()
	}
	return len(b), nil
}

// leave ends a transfer and reports whether it was cut off before.
func (t *transfer) leave() (cut bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.remove(t)
	return t.cut
}

// makeRoom cuts off the oldest while there are too many. The last one stays.
func (ts *transfers) makeRoom() {
	for ts.active.Len() > 1 && (ts.active.Len() > ts.room.Number || ts.held > ts.room.Bytes) {
		oldest := ts.active.Front().Value.(*transfer)
		ts.remove(oldest)
		oldest.cut = true
		ts.deadline(oldest.conn, time.Now())
	}
}

func (ts *transfers) remove(t *transfer) {
	if t.element != nil {
		ts.active.Remove(t.element)
		ts.held -= t.bytes
		t.element = nil
	}
}

// hurry limits all transfers to the given time from now on.
func (ts *transfers) hurry(most time.Duration) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.time == 0 || ts.time > most {
		ts.time = most
	}
	for e := ts.active.Front(); e != nil; e = e.Next() {
		ts.deadline(e.Value.(*transfer).conn, time.Now().Add(ts.time))
	}
}

// state returns the number of transfers, and the bytes that they hold.
func (ts *transfers) state() (n int, bytes int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.active.Len(), ts.held
}
