package collective

import "sync/atomic"

// Traffic is what the ranks of a group exchange.
type Traffic struct {
	exchanges, bytes atomic.Int64
}

// Exchanges returns how often ranks have met, Bytes what all of them have sent to others.
func (t *Traffic) Exchanges() int64 { return t.exchanges.Load() }

// Bytes returns the bytes that all ranks have sent to others.
func (t *Traffic) Bytes() int64 { return t.bytes.Load() }

// Counted is a transport whose exchanges are counted: give those of all ranks the same
// traffic. A message counts when its rank comes to the exchange.
func Counted(t Transport, traffic *Traffic) Transport { return counted{t, traffic} }

type counted struct {
	Transport
	traffic *Traffic
}

// count counts an exchange, once for all ranks.
func (c counted) count(bytes int) {
	if c.Rank() == 0 {
		c.traffic.exchanges.Add(1)
	}
	c.traffic.bytes.Add(int64(bytes))
}

func (c counted) AllGather(all, send []byte) error {
	c.count(len(send) * (c.Size() - 1))
	return c.Transport.AllGather(all, send)
}

func (c counted) AllToAll(from, to [][]byte) error {
	sent := 0
	for i, x := range to {
		if i != c.Rank() {
			sent += len(x)
		}
	}
	c.count(sent)
	return c.Transport.AllToAll(from, to)
}

func (c counted) Broadcast(message []byte) ([]byte, error) {
	sent := 0
	if c.Rank() == 0 {
		sent = len(message) * (c.Size() - 1)
	}
	c.count(sent)
	return c.Transport.Broadcast(message)
}
