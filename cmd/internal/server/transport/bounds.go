package transport

import "time"

// Bounds bound what clients take before a request has come, and while its response goes out. For the time between
// there are limits.Limits.
type Bounds struct {
	Header time.Duration // for the head of a request
	Body   time.Duration // for the body
	Idle   time.Duration // between requests
	Last   time.Duration // for bodies, once the server goes down
	Settle time.Duration // for connections under way to come in, then
	// Connections bounds those that are open: each takes a descriptor and some memory, and a client may open any number.
	Connections        int
	Incoming, Outgoing Room
}

// Room is what there is for bodies.
type Room struct {
	Number int   // at a time
	Bytes  int64 // of all of them
}

// Standard are the usual bounds.
var Standard = Bounds{
	Header: 5 * time.Second, Body: 15 * time.Second, Idle: 2 * time.Minute, Last: 5 * time.Second, Settle: 200 * time.Millisecond,
	Connections: 4096, Incoming: Room{Number: 1024, Bytes: 64 << 20}, Outgoing: Room{Number: 1024, Bytes: 64 << 20},
}
