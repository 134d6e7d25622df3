package run

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/drive"
)

// Member is a question of a group, which was announced to the group's driver.
type Member struct {
	driver *drive.Driver
	began  bool // the run that was announced
}

// NewMember returns the member of a question that was announced by Enter.
func NewMember(d *drive.Driver) *Member { return &Member{driver: d} }

// Close takes back the announcement of a question that has run nothing.
func (m *Member) Close() {
	if !m.began {
		m.began = true
		m.driver.Withdraw()
	}
}

// run runs a body together with the group. Runs after the first announce themselves.
func (m *Member) run(ctx context.Context, body func(d *drive.Query) error) error {
	if m.began {
		m.driver.Enter(1)
	}
	m.began = true
	return m.driver.Start(ctx, body).Wait()
}
