package collective

import "sync/atomic"

// Counted wraps the transport of rank 0 and counts its exchanges.
func Counted(t Transport, exchanges *atomic.Int64) Transport { return counted{t, exchanges} }

type counted struct {
	Transport
	exchanges *atomic.Int64
}

func (c counted) AllGather(all, send []byte) error {
	c.exchanges.Add(1)
	return c.Transport.AllGather(all, send)
}

func (c counted) AllToAll(from, to [][]byte) error {
	c.exchanges.Add(1)
	return c.Transport.AllToAll(from, to)
}

func (c counted) Broadcast(message []byte) ([]byte, error) {
	c.exchanges.Add(1)
	return c.Transport.Broadcast(message)
}
