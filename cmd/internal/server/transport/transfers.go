package transport

import (
	"container/list"
	"net/http"
	"sync"
	"time"
)

// transfers are the bodies that come in, or the bodies that go out. They do not count as queries in
// flight, so that clients that send slowly, or do not read, do not block others. If there are too many, or
// if they hold too many bytes, the longest-running one is cut off, so that stalled transfers leave room
// for others.
type transfers struct {
	room     Room
	deadline func(c *http.ResponseController, t time.Time) error // sets the deadline of a connection

	mu     sync.Mutex
	time   time.Duration // for each; 0 leaves the deadline as it is
	active list.List     // of *transfer, the oldest first
	held   int64         // bytes of them
}

// transfer is one that is under way.
type transfer struct {
	of      *transfers
	conn    *http.ResponseController
	element *list.Element // nil once it is over
	bytes   int64
	cut     bool // to make room
}

// enter takes on a transfer through a connection and returns the time that it has.
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

// Write counts bytes that are held for a transfer.
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

// leave ends a transfer, which is not cut off from then on, and reports whether it was.
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

// hurry allows no more than the given time from now on.
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

// state returns how many are under way, and the bytes that they hold.
func (ts *transfers) state() (n int, bytes int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.active.Len(), ts.held
}
