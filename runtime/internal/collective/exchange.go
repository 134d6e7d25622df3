package collective

import (
	"slices"
	"unsafe"
)

// Exchange is the data that a rank sends and receives in one step of a query. Group.Meet can combine several.
type Exchange struct {
	// Send goes to all ranks, with the same number of bytes from each; All receives the messages in rank order.
	Send, All []byte
	// To, if not nil, holds a message for each rank; From receives a message from each. Both sides know the lengths.
	To, From [][]byte
}

// Lane returns a group for one of several queries whose exchanges meet combines, by Meet. A failure in one of them
// fails all.
func (g *Group) Lane(meet func(list []*Exchange)) *Group { return &Group{ranks: g.ranks, meet: meet} }

// later adds an exchange to the group's next one, which any caller may make. Its input must not change until then.
// All ranks add the same ones.
func (g *Group) later(x *Exchange) { g.waiting = append(g.waiting, x) }

// Then calls done after the next exchange, in order, unless that fails.
func (g *Group) Then(done func()) { g.done = append(g.done, done) }

// Exchange makes the waiting exchanges as one, then the ones added meanwhile. After an error it drops them.
func (g *Group) Exchange() {
	for len(g.waiting) > 0 {
		list := g.waiting
		done := g.done
		g.waiting = nil
		g.done = nil
		if g.Err() == nil {
			g.meet(list)
		}
		if g.Err() != nil {
			return
		}
		for _, f := range done {
			f()
		}
	}
}

// Meet makes several exchanges as one; every rank passes the same ones in the same order. After an error it does
// nothing.
func (g *Group) Meet(list []*Exchange) {
	if g.Err() != nil {
		return
	}
	apart := slices.ContainsFunc(list, func(x *Exchange) bool { return x.To != nil })
	out := g.to
	if !apart { // all ranks get the same
		out = g.to[:1]
	}
	layout(&g.send, out, list, func(x *Exchange) [][]byte { return x.To })
	all := layout(&g.all, g.messages, list, func(x *Exchange) [][]byte { return x.From })
	header := g.header()
	for i, message := range out {
		*(*uint64)(unsafe.Pointer(&message[0])) = header
		message = message[headerBytes:]
		for _, x := range list {
			message = message[copyPadded(message, x.Send):]
		}
		for _, x := range list {
			if x.To != nil {
				message = message[copyPadded(message, x.To[i]):]
			}
		}
	}
	if g.carry(func() error {
		if apart {
			return g.transport.AllToAll(g.messages, g.to)
		}
		return g.transport.AllGather(all, out[0])
	}) {
		g.take(list)
	}
}

// layout lays out in memory a message to or from each rank, consecutively: a header, the data for all ranks, and the
// parts for one.
func layout(memory *[]uint64, messages [][]byte, list []*Exchange, parts func(x *Exchange) [][]byte) []byte {
	size := func(rank int) int {
		n := headerBytes
		for _, x := range list {
			n += padded(len(x.Send))
			if p := parts(x); p != nil {
				n += padded(len(p[rank]))
			}
		}
		return n
	}
	total := 0
	for i := range messages {
		total += size(i)
	}
	*memory = slices.Grow((*memory)[:0], total/8)[:total/8]
	all := view(*memory)
	rest := all
	for i := range messages {
		n := size(i)
		messages[i] = rest[:n:n]
		rest = rest[n:]
	}
	return all
}

// padded is a number of bytes, rounded up so that the next part is aligned.
func padded(bytes int) int { return (bytes + 7) &^ 7 }

// copyPadded copies x, with zeros up to its padded length, which it returns.
func copyPadded(to, x []byte) int {
	n := padded(len(x))
	clear(to[copy(to, x):n])
	return n
}

// take reads the messages of all ranks.
func (g *Group) take(list []*Exchange) {
	total := 0
	for _, x := range list {
		total += padded(len(x.Send) * g.size)
	}
	// Steps read it when they resume, possibly after another query's exchange.
	flat := view(make([]uint64, total/8))
	for _, x := range list {
		n := len(x.Send) * g.size
		x.All, flat = flat[:n:n], flat[padded(n):]
	}
	for i, message := range g.messages {
		g.read(i, *(*uint64)(unsafe.Pointer(&message[0])))
		message = message[headerBytes:]
		for _, x := range list {
			n := len(x.Send)
			copy(x.All[i*n:], message[:n])
			message = message[padded(n):]
		}
		for _, x := range list {
			if x.From != nil {
				copy(x.From[i], message)
				message = message[padded(len(x.From[i])):]
			}
		}
	}
	clear(g.messages)
	clear(g.to)
}

// view returns numbers as bytes.
func view[T any](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// GatherLater concatenates the numbers of all ranks at the next exchange, in rank order; each rank has equally many.
// T has no pointers.
func GatherLater[T any](g *Group, x []T, done func(all []T)) {
	e := &Exchange{Send: view(x)}
	g.later(e)
	g.Then(func() {
		all := []T{}
		if len(e.All) > 0 {
			var zero T
			all = unsafe.Slice((*T)(unsafe.Pointer(&e.All[0])), len(e.All)/int(unsafe.Sizeof(zero)))
		}
		done(all)
	})
}

// Gather is GatherLater followed by Exchange. It returns nil after an error.
func Gather[T any](g *Group, x []T) (all []T) {
	GatherLater(g, x, func(got []T) { all = got })
	g.Exchange()
	return all
}

// Agree is an empty exchange: it reports whether all ranks continue.
func (g *Group) Agree() bool {
	g.later(&Exchange{})
	g.Exchange()
	return g.Err() == nil
}

// Max sets x to the maxima over all ranks.
func (g *Group) Max(x []float32) {
	for i, v := range Gather(g, x) {
		x[i%len(x)] = max(x[i%len(x)], v)
	}
}

// AddLater sets x to the sums over all ranks, at the next exchange.
func (g *Group) AddLater(x []float32) {
	GatherLater(g, x, func(all []float32) {
		clear(x)
		for i, v := range all {
			x[i%len(x)] += v
		}
	})
}

// SwapLater sends to[i] to rank i and fills from[i] with what rank i sends, at the next exchange;
// both know the lengths.
func (g *Group) SwapLater(from, to [][]float32) {
	e := &Exchange{To: make([][]byte, g.size), From: make([][]byte, g.size)}
	for i := range g.size {
		e.From[i], e.To[i] = view(from[i]), view(to[i])
	}
	g.later(e)
}
