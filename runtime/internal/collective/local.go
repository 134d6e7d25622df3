package collective

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Local returns transports between ranks that are goroutines of this process. If timeout is not 0, an exchange that
// some rank does not reach in time fails them all.
func Local(ranks int, timeout time.Duration) []Transport {
	r := &room{parts: make([][][]byte, ranks), came: make([]bool, ranks), timeout: timeout}
	r.turn.L = &r.mu
	list := make([]Transport, ranks)
	for i := range list {
		list[i] = &local{room: r, rank: i}
	}
	return list
}

// room is where the ranks of a process meet.
type room struct {
	mu      sync.Mutex
	turn    sync.Cond
	came    []bool // of each rank: it is waiting
	waiting int
	round   uint64
	err     error
	timeout time.Duration
	parts   [][][]byte
	message []byte
}

type local struct {
	*room
	rank int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return len(l.parts) }

func (l *local) Patience() time.Duration { return l.timeout }

// meet calls put, then waits until all ranks have come.
func (l *local) meet(put func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	put()
	round := l.round
	l.came[l.rank] = true
	l.waiting++
	if l.waiting == len(l.came) {
		l.waiting = 0
		clear(l.came)
		l.round++
		l.turn.Broadcast()
		return nil
	}
	if l.timeout > 0 {
		timer := time.AfterFunc(l.timeout, func() { l.late(round) })
		defer timer.Stop()
	}
	for l.round == round && l.err == nil {
		l.turn.Wait()
	}
	if l.round != round {
		return nil
	}
	return l.err
}

// late fails all ranks if a round is not over.
func (l *local) late(round uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.round != round || l.err != nil {
		return
	}
	for rank, came := range l.came {
		if !came {
			l.err = fmt.Errorf("rank %d did not come to an exchange within %s", rank, l.timeout)
			break
		}
	}
	l.turn.Broadcast()
}

func (l *local) AllGather(all, send []byte) error {
	from := make([][]byte, l.Size())
	to := make([][]byte, l.Size())
	for i := range from {
		from[i] = all[i*len(send) : (i+1)*len(send)]
		to[i] = send
	}
	return l.AllToAll(from, to)
}

func (l *local) AllToAll(from, to [][]byte) error {
	if err := l.meet(func() { l.parts[l.rank] = to }); err != nil {
		return err
	}
	bad := false
	for i := range from {
		x := l.parts[i][l.rank]
		bad = bad || len(x) != len(from[i])
		copy(from[i], x)
	}
	if bad {
		l.Abort(errors.New("internal error: ranks send and expect messages of different lengths"))
	}
	return l.leave()
}

func (l *local) Broadcast(message []byte) ([]byte, error) {
	if err := l.meet(func() {
		if l.rank == 0 {
			l.message = message
		}
	}); err != nil {
		return nil, err
	}
	message = append([]byte(nil), l.message...)
	return message, l.leave()
}

// leave waits until all have read, so that the sent data may change.
func (l *local) leave() error { return l.meet(func() {}) }

func (l *local) Abort(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = cmp.Or(l.err, err)
	l.turn.Broadcast()
}
