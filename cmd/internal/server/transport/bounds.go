package transport

import "time"

// Bounds bound the resources of clients while a request arrives and while its response is sent. limits.Limits bound
// the time in between.
type Bounds struct {
	Header time.Duration // for the head of a request
	Body   time.Duration // for the body
	Idle   time.Duration // between requests
	Last   time.Duration // for bodies, during shutdown
	Settle time.Duration // for pending connections, during shutdown
	// Connections bounds the open connections: each uses a descriptor and some memory, and a client may open any
	// number.
	Connections        int
	Incoming, Outgoing Room
}

// Room is the capacity for bodies.
type Room struct {
	Number int   // at a time
	Bytes  int64 // of all of them
}

// Standard are the default bounds.
var Standard = Bounds{
	Header: 5 * time.Second, Body: 15 * time.Second, Idle: 2 * time.Minute, Last: 5 * time.Second, Settle: 200 * time.Millisecond,
	Connections: 4096, Incoming: Room{Number: 1024, Bytes: 64 << 20}, Outgoing: Room{Number: 1024, Bytes: 64 << 20},
}
