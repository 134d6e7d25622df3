package collective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Group is what the plans of one rank exchange by. It serves one query at a time: Begin,
// exchanges, and Settle, on every rank.
//
// Once Err is not nil, exchanges do nothing and what they return is not read. Err changes at
// exchanges alone, on all ranks at the same one: whoever fails in between says so by Fail and
// goes on to the next exchange.
type Group struct {
	transport  Transport
	rank, size int
	ctx        context.Context
	pending    error // of this rank, which the others do not know yet
	agreed     error
	fatal      error // of the transport
	sequence   uint32
	send       []uint64
	all        []uint64
	flat       []uint64
	from, to   [][]byte
}

// NewGroup returns the group of a transport.
func NewGroup(t Transport) *Group {
	n := t.Size()
	return &Group{
		transport: t, rank: t.Rank(), size: n, ctx: context.Background(),
		from: make([][]byte, n), to: make([][]byte, n),
	}
}

// Rank is this rank, Size the number of ranks.
func (g *Group) Rank() int { return g.rank }

// Size returns the number of ranks.
func (g *Group) Size() int { return g.size }

// Begin begins a query. The end of its context, on any rank, is an error on all.
func (g *Group) Begin(ctx context.Context) { g.ctx, g.pending, g.agreed = ctx, nil, g.fatal }

// Err returns the error that all ranks have agreed on.
func (g *Group) Err() error { return g.agreed }

// Broken returns why no query can begin any more, if the transport has failed.
func (g *Group) Broken() error { return g.fatal }

// Fail makes the query fail on all ranks, from the next exchange on.
func (g *Group) Fail(err error) {
	if g.pending == nil {
		g.pending = err
	}
}

// Abort ends the work of all ranks: for a rank that does not come to the next exchange.
func (g *Group) Abort(err error) {
	g.fail(err)
	g.transport.Abort(err)
}

// Wait returns the next message that rank 0 gives to Send: on other ranks, where it waits as
// long as it takes.
func (g *Group) Wait() ([]byte, error) { return g.message(nil) }

// Send sends a message to all other ranks, which must be in Wait.
func (g *Group) Send(message []byte) error {
	_, err := g.message(message)
	return err
}

func (g *Group) message(m []byte) ([]byte, error) {
	if g.fatal != nil {
		return nil, g.fatal
	}
	m, err := g.transport.Broadcast(m)
	if err != nil {
		g.fail(err)
	}
	return m, err
}

// fail notes that the transport has failed.
func (g *Group) fail(err error) {
	if g.fatal == nil {
		g.fatal = err
	}
	g.agreed = g.fatal
}

// The states of a rank in the header of its messages.
const (
	goesOn = iota
	cancelled
	failed
)

// header returns the header of the next message: the number of the exchange, and the state
// of the rank.
func (g *Group) header() uint64 {
	g.sequence++
	state := uint64(goesOn)
	if g.pending == nil {
		g.pending = g.ctx.Err()
	}
	if g.pending != nil {
		state = failed
		if errors.Is(g.pending, context.Canceled) || errors.Is(g.pending, context.DeadlineExceeded) {
			state = cancelled
		}
	}
	return uint64(g.sequence)<<32 | state
}

// read reads the header of another rank's message.
func (g *Group) read(rank int, header uint64) {
	if at := uint32(header >> 32); at != g.sequence {
		g.Abort(fmt.Errorf("internal error: rank %d is at exchange %d, rank %d at %d", rank, at, g.rank, g.sequence))
		return
	}
	if state := header & math.MaxUint32; state != goesOn && g.agreed == nil {
		g.agreed = &RankError{Rank: rank, cancelled: state == cancelled}
		if rank == g.rank {
			g.agreed = g.pending
		}
	}
}

// RankError says that the query failed on another rank.
type RankError struct {
	Rank      int
	Text      string // what the rank says, once the query is settled
	cancelled bool
}

func (e *RankError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the query failed on rank %d", e.Rank)
	}
	return fmt.Sprintf("rank %d: %s", e.Rank, e.Text)
}

// Is reports whether the rank was cancelled.
func (e *RankError) Is(target error) bool { return e.cancelled && target == context.Canceled }

const headerBytes = 8

// view returns the memory of numbers.
func view[T any](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// words returns room for so many bytes, aligned.
func words(x *[]uint64, bytes int) []byte {
	n := (bytes + 7) / 8
	*x = slices.Grow((*x)[:0], n)[:n]
	return view(*x)[:bytes]
}

// Gather returns the numbers of all ranks, in order, of which each has as many, until the
// next exchange; nil after an error. T has no pointers.
func Gather[T any](g *Group, x []T) []T {
	if g.agreed != nil {
		return nil
	}
	all := g.gather(view(x))
	if all == nil {
		return nil
	}
	var zero T
	if len(all) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&all[0])), len(all)/int(unsafe.Sizeof(zero)))
}

func (g *Group) gather(x []byte) []byte {
	padded := headerBytes + (len(x)+7)&^7
	send, all := words(&g.send, padded), words(&g.all, padded*g.size)
	g.send[0] = g.header()
	copy(send[headerBytes:], x)
	if err := g.transport.AllGather(all, send); err != nil {
		g.fail(err)
		return nil
	}
	flat := words(&g.flat, len(x)*g.size)
	for i := range g.size {
		g.read(i, g.all[i*padded/8])
		copy(flat[i*len(x):(i+1)*len(x)], all[i*padded+headerBytes:])
	}
	if g.agreed != nil {
		return nil
	}
	if flat == nil {
		flat = []byte{}
	}
	return flat
}

// Agree is an exchange of nothing: it reports whether all ranks go on.
func (g *Group) Agree() bool { return Gather[byte](g, nil) != nil }

// Sum sets x to the sums over all ranks.
func (g *Group) Sum(x []float64) {
	if all := Gather(g, x); all != nil {
		copy(x, all)
		for i, v := range all[len(x):] {
			x[i%len(x)] += v
		}
	}
}

// Max sets x to the maxima over all ranks.
func (g *Group) Max(x []float32) {
	if all := Gather(g, x); all != nil {
		for i, v := range all {
			x[i%len(x)] = max(x[i%len(x)], v)
		}
	}
}

// Add sets x to the sums over all ranks.
func (g *Group) Add(x []float32) {
	if all := Gather(g, x); all != nil {
		copy(x, all)
		for i, v := range all[len(x):] {
			x[i%len(x)] += v
		}
	}
}

// Swap sends to[i] to rank i and fills from[i] with what rank i has sent, whose length both
// know. It reports whether all ranks go on.
func (g *Group) Swap(from, to [][]float32) bool {
	if g.agreed != nil || !g.Agree() {
		return false
	}
	for i := range g.size {
		g.from[i], g.to[i] = view(from[i]), view(to[i])
	}
	if err := g.transport.AllToAll(g.from, g.to); err != nil {
		g.fail(err)
		return false
	}
	return true
}

// mostText is how much of an error other ranks are told.
const mostText = 1024

// Settle ends a query, on all ranks, whatever has happened: they agree on its error, which
// it returns.
func (g *Group) Settle() error {
	defer g.Begin(context.Background())
	if g.fatal != nil {
		return g.fatal
	}
	g.agreed = nil
	if g.Agree() {
		return nil
	}
	if g.fatal != nil {
		return g.fatal
	}
	agreed := g.agreed
	var text [mostText]byte
	if g.pending != nil {
		copy(text[:], g.pending.Error())
	}
	g.Begin(context.Background()) // so that this is told too
	all := Gather(g, text[:])
	if all == nil {
		return g.fatal
	}
	if e, ok := agreed.(*RankError); ok {
		said := all[e.Rank*mostText : (e.Rank+1)*mostText]
		if end := slices.Index(said, 0); end >= 0 {
			said = said[:end]
		}
		e.Text = string(said)
	}
	return agreed
}
