package connect

import (
	"fmt"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Request asks for the ways between two named entities.
type Request struct {
	From string `json:"from" arg:"" help:"Entity to start from: its name, its label, or #id."`
	To   string `json:"to" arg:"" help:"Entity to reach."`
	Options
}

// Ends resolves the two names.
func (r *Request) Ends(m *runtime.Model) (from, to graph.EntityID, err error) {
	start, err := m.Entity(r.From)
	if err != nil {
		return 0, 0, fmt.Errorf("from: %w", err)
	}
	end, err := m.Entity(r.To)
	if err != nil {
		return 0, 0, fmt.Errorf("to: %w", err)
	}
	if start.ID() == end.ID() {
		return 0, 0, fmt.Errorf("both ends are %s", m.EntityLabel(start.ID()))
	}
	return start.ID(), end.ID(), nil
}
