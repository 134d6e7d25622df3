package run

import (
	"context"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/pause"
)

// Group runs questions of one model together, of any kind and whenever they arrive. A question joins by a context
// that makes it a Member.
type Group struct {
	pool  *pool.Pool
	here  *drive.Driver // of runs in main memory
	there *drive.Driver // of runs elsewhere
}

// NewGroup returns the group of a model.
func NewGroup(p *pool.Pool) *Group {
	return &Group{p, drive.New(p, nil), drive.New(p, nil)}
}

// Enter announces questions. No run continues to its next sweep before each of them has begun its first run, or other
// work that takes long.
func (g *Group) Enter(questions int) {
	g.here.Enter(questions)
	g.there.Enter(questions)
}

// Join makes an announced question a member. Runs with the returned context join the group. Close the member.
func (g *Group) Join(ctx context.Context) (context.Context, *Member) {
	m := &Member{group: g, hold: pause.Of(ctx), announced: true, since: time.Now()}
	if m.hold != nil {
		ctx = pause.With(ctx, m.pause)
	}
	return withMember(ctx, m), m
}

// Member is a question of a group. Once it has taken long, its runs no longer join the group, unless nothing can
// suspend it. It is safe for concurrent use.
type Member struct {
	group *Group
	hold  pause.Func // nil if nothing suspends the question

	mu        sync.Mutex
	announced bool          // it has not begun the announced run
	busy      time.Duration // of its runs in the group
	since     time.Time     // when it arrived, or its last run left the group
	left      bool
}

const (
	// longBetween is how long a member may work between runs before it counts as long. Members do so concurrently,
	// while runs wait for a processor.
	longBetween = 20 * time.Millisecond
	// mostRuns bounds the concurrent runs of a member, for which the others wait.
	mostRuns = 16
)

// memberKey is the key of a Member in a context.
type memberKey struct{}

func withMember(ctx context.Context, m *Member) context.Context {
	return context.WithValue(ctx, memberKey{}, m)
}

// memberOf returns the member that owns the context, nil if there is none.
func memberOf(ctx context.Context) *Member {
	m, _ := ctx.Value(memberKey{}).(*Member)
	return m
}

// Close cancels the announcement if the question has run nothing in the group; m may be nil.
func (m *Member) Close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.withdraw()
}

// withdraw is Close with the lock held.
func (m *Member) withdraw() {
	if m.announced {
		m.announced = false
		m.group.here.Withdraw()
		m.group.there.Withdraw()
	}
}

// shares reports whether runs of a question join its group; m is nil without one.
func (m *Member) shares() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.left
}

// pause is called between steps of the work outside the group. It ends the others' wait for a run of the member, and
// suspends the member once it has taken long.
func (m *Member) pause() {
	m.mu.Lock()
	m.withdraw()
	m.left = m.left || time.Since(m.since) > longBetween
	left := m.left
	m.mu.Unlock()
	if left {
		m.hold()
		return
	}
	goruntime.Gosched()
}

// back records that a run of the member, if any, has left the group.
func (m *Member) back() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since = time.Now()
}

// run makes runs in the group, by one of its drivers, and returns their errors. The context must not belong to a
// member: a run that waited for another before leaving the driver would deadlock.
func (m *Member) run(ctx context.Context, d *drive.Driver, runs int, body func(i int, q *drive.Run) error) []error {
	before := m.begin(d, runs)
	list := make([]*drive.Run, runs)
	for i := range list {
		list[i] = d.Start(ctx, before, func(q *drive.Run) error { return body(i, q) })
	}
	errs := make([]error, runs)
	busy := time.Duration(0)
	for i, q := range list {
		errs[i] = q.Wait()
		busy += q.Busy() - before
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy += busy
	m.left = m.left || m.hold != nil && m.busy > drive.Long
	return errs
}

// begin announces runs, unless Enter has announced the first one. It returns the member's earlier busy time.
func (m *Member) begin(d *drive.Driver, runs int) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.Enter(runs)
	m.withdraw() // the runs replace the announced one
	return m.busy
}
