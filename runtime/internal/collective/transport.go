package collective

import "time"

// Transport carries messages between the ranks of a group. All ranks call its methods in
// the same order, each from one goroutine at a time. After an error it carries nothing.
type Transport interface {
	// Rank is the caller's rank, Size the number of ranks.
	Rank() int
	Size() int
	// AllGather sends a message to all ranks, and returns when all holds Size() messages, in rank order. All messages
	// have the same number of bytes.
	AllGather(all, send []byte) error
	// AllToAll sends to[i] to rank i, and returns when from[i] holds the message of rank i. Both sides know the
	// lengths.
	AllToAll(from, to [][]byte) error
	// Broadcast returns the message of rank 0 on all ranks; the other ranks wait for work in it.
	Broadcast(message []byte) ([]byte, error)
	// Patience bounds how long a rank waits for the others in these methods; 0 means no limit. After that time the
	// transport fails on all ranks.
	Patience() time.Duration
	// Abort ends the work of all ranks with an error. It may be called at any time, from
	// any goroutine.
	Abort(err error)
}
