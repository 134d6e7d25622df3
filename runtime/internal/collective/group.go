package collective

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Group makes the exchanges of one rank's plans. It serves one query at a time: Begin,
// exchanges, and Settle, on every rank.
//
// Once Err is not nil, exchanges do nothing and their results are invalid. Err changes only at exchanges, on all
// ranks at the same one. A rank that fails in between calls Fail and continues to the next exchange.
type Group struct {
	*ranks
	meet    func(list []*Exchange) // makes exchanges
	waiting []*Exchange            // for the next one
	done    []func()               // after it
}

// ranks holds the state that the lanes of a group share. Lanes run in parallel between exchanges.
type ranks struct {
	transport    Transport
	rank, size   int
	ctx          context.Context
	mu           sync.Mutex
	pending      error // of this rank, not yet known to the others
	agreed       error
	fatal        error                     // of the transport
	since        atomic.Pointer[time.Time] // the start of the current call, if any
	sequence     uint32
	send         []uint64
	all          []uint64
	messages, to [][]byte // of each rank, in all and in send
}

// NewGroup returns the group of a transport.
func NewGroup(t Transport) *Group {
	n := t.Size()
	g := &Group{ranks: &ranks{
		transport: t, rank: t.Rank(), size: n, ctx: context.Background(),
		messages: make([][]byte, n), to: make([][]byte, n),
	}}
	g.meet = g.Meet
	return g
}

// Rank is this rank, Size the number of ranks.
func (g *Group) Rank() int { return g.rank }

// Size returns the number of ranks.
func (g *Group) Size() int { return g.size }

// Begin begins a query. If its context ends on any rank, all ranks fail.
func (g *Group) Begin(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ctx = ctx
	g.pending = nil
	g.agreed = g.fatal
}

// Err returns the error that all ranks have agreed on.
func (g *Group) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.agreed
}

// Broken returns the transport's error, after which no query can begin.
func (g *Group) Broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fatal
}

// Fail fails the query on all ranks at the next exchange.
func (g *Group) Fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending = cmp.Or(g.pending, err)
}

// Abort ends the work of all ranks. Call it on a rank that will not reach the next exchange.
func (g *Group) Abort(err error) {
	g.fail(err)
	g.transport.Abort(err)
}

// Wait returns the next message that rank 0 passes to Send; other ranks call it. Between messages it joins the Meets
// of rank 0.
func (g *Group) Wait() ([]byte, error) {
	for {
		m, err := g.message(nil)
		if err != nil || !bytes.Equal(m, meeting) {
			return m, err
		}
		if !g.Agree() {
			return nil, g.Err()
		}
	}
}

// Send sends a message to all other ranks, which must be in Wait.
func (g *Group) Send(message []byte) error {
	_, err := g.message(message)
	return err
}

// Assemble is a meeting of all ranks; rank 0 calls it while the others are in Wait. If calls are more frequent than
// the transport's patience, all ranks notice the death of one: their transports fail.
func (g *Group) Assemble() error {
	if err := g.Send(meeting); err != nil {
		return err
	}
	g.Agree()
	return g.Err()
}

// meeting is the message of Assemble; no other message has a zero byte.
var meeting = []byte{0}

// Patience is how long a rank waits for the others, 0 for no limit.
func (g *Group) Patience() time.Duration { return g.transport.Patience() }

// Waiting returns how long this rank has been waiting for the others.
func (g *Group) Waiting() time.Duration {
	since := g.since.Load()
	if since == nil {
		return 0
	}
	return time.Since(*since)
}

// carry calls a method of the transport.
func (g *Group) carry(exchange func() error) bool {
	g.since.Store(new(time.Now()))
	err := exchange()
	g.since.Store(nil)
	if err != nil {
		g.fail(err)
	}
	return err == nil
}

func (g *Group) message(m []byte) ([]byte, error) {
	if err := g.Broken(); err != nil {
		return nil, err
	}
	ok := g.carry(func() (err error) { m, err = g.transport.Broadcast(m); return err })
	if !ok {
		return nil, g.Broken()
	}
	return m, nil
}

// fail records that the transport has failed.
func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fatal = cmp.Or(g.fatal, err)
	g.agreed = g.fatal
}

// The states of a rank in the header of its messages.
const (
	goesOn = iota
	cancelled
	expired
	failed
)

// ended maps the state of a rank to the error of its context, nil if that has not ended.
var ended = [...]error{cancelled: context.Canceled, expired: context.DeadlineExceeded, failed: nil}

// header returns the header of the next message: the number of the exchange, and the state
// of the rank.
func (g *Group) header() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sequence++
	state := uint64(goesOn)
	g.pending = cmp.Or(g.pending, g.ctx.Err())
	if g.pending != nil {
		for state = cancelled; state < failed && !errors.Is(g.pending, ended[state]); {
			state++
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
	g.mu.Lock()
	defer g.mu.Unlock()
	if state := header & math.MaxUint32; state != goesOn && g.agreed == nil {
		g.agreed = &rankError{Rank: rank, ended: ended[min(state, failed)]}
		if rank == g.rank {
			g.agreed = g.pending
		}
	}
}

// rankError says that the query failed on another rank.
type rankError struct {
	Rank  int
	Text  string // the rank's message, once the query is settled
	ended error  // of its context
}

func (e *rankError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the query failed on rank %d", e.Rank)
	}
	return fmt.Sprintf("rank %d: %s", e.Rank, e.Text)
}

// Unwrap returns the error of the rank's context, nil if that has not ended.
func (e *rankError) Unwrap() error { return e.ended }

const headerBytes = 8

// mostText bounds the error text sent to other ranks.
const mostText = 1024

// End ends a query on all ranks without an exchange, if the ranks agreed to continue at the query's last exchange; a
// later error is this rank's own. Otherwise it is Settle.
func (g *Group) End() error {
	g.mu.Lock()
	if g.agreed != nil {
		g.mu.Unlock()
		return g.Settle()
	}
	own := g.pending
	g.mu.Unlock()
	g.Begin(context.Background())
	return own
}

// Settle ends a query on all ranks in any state: they agree on its error, which it returns.
func (g *Group) Settle() error {
	defer g.Begin(context.Background())
	if err := g.Broken(); err != nil {
		return err
	}
	g.mu.Lock()
	g.agreed = nil
	g.mu.Unlock()
	if g.Agree() {
		return nil
	}
	if err := g.Broken(); err != nil {
		return err
	}
	agreed := g.agreed
	var text [mostText]byte
	if g.pending != nil {
		copy(text[:], g.pending.Error())
	}
	g.Begin(context.Background()) // for the exchange of the text
	all := Gather(g, text[:])
	if all == nil {
		return g.Broken()
	}
	if e, ok := agreed.(*rankError); ok {
		said := all[e.Rank*mostText : (e.Rank+1)*mostText]
		if end := slices.Index(said, 0); end >= 0 {
			said = said[:end]
		}
		e.Text = string(said)
	}
	return agreed
}
