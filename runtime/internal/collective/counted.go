package collective

import "sync/atomic"

// Traffic counts what the ranks of a group exchange.
type Traffic struct {
	exchanges, messages, bytes atomic.Int64
}

// Exchanges returns the number of exchanges.
func (t *Traffic) Exchanges() int64 { return t.exchanges.Load() }

// Messages returns the number of messages between different ranks, as package mpi sends them.
func (t *Traffic) Messages() int64 { return t.messages.Load() }

// Bytes returns the bytes sent between different ranks, without headers.
func (t *Traffic) Bytes() int64 { return t.bytes.Load() }

// WireBytes returns the bytes on the wire with Open MPI over TCP.
func (t *Traffic) WireBytes() int64 { return t.Bytes() + tcpHeaders*t.Messages() }

// tcpHeaders is the number of header bytes per message: 14 of Ethernet, 20 of IPv4, 32 of TCP with timestamps, 8 of
// Open MPI's TCP transport, and 14 of its matching header. Splitting long messages, separate acknowledgements and
// messages that share a packet change this little.
const tcpHeaders = 14 + 20 + 32 + 8 + 14

// Counted wraps a transport and counts its exchanges: give the transports of all ranks the same traffic. A message
// counts when its rank reaches the exchange.
func Counted(t Transport, traffic *Traffic) Transport { return counted{t, traffic} }

type counted struct {
	Transport
	traffic *Traffic
}

// count counts an exchange, once for all ranks, and this rank's messages to others.
func (c counted) count(messages, bytes int) {
	if c.Rank() == 0 {
		c.traffic.exchanges.Add(1)
	}
	c.traffic.messages.Add(int64(messages))
	c.traffic.bytes.Add(int64(bytes))
}

func (c counted) AllGather(all, send []byte) error {
	c.count(c.Size()-1, len(send)*(c.Size()-1))
	return c.Transport.AllGather(all, send)
}

func (c counted) AllToAll(from, to [][]byte) error {
	sent := 0
	for i, x := range to {
		if i != c.Rank() {
			sent += len(x)
		}
	}
	c.count(c.Size()-1, sent)
	return c.Transport.AllToAll(from, to)
}

func (c counted) Broadcast(message []byte) ([]byte, error) {
	if c.Rank() == 0 { // the length first
		c.count(2*(c.Size()-1), (8+len(message))*(c.Size()-1))
	}
	return c.Transport.Broadcast(message)
}
