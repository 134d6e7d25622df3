package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/runtime/model/graph"
)

// connectBytes is the memory for a search of ways, most of it for unfinished ones.
const connectBytes = 64 << 20

// connect finds the best ways from one entity to another.
func (s *Server) connect(r *http.Request, h *openModel) (any, error) {
	steps := new(connect.DefaultSteps)
	limit := new(connect.DefaultK)
	given, err := readParams(r, "from", "to", "steps", "limit")
	if err = cmp.Or(err, given.read("steps", &steps), given.read("limit", &limit)); err == nil {
		err = checkFound(*limit, "")
	}
	switch {
	case err != nil:
		return nil, err
	case *steps < 1 || *steps > connect.MaxSteps:
		return nil, badRequest("steps is %d, want 1 to %d", *steps, connect.MaxSteps)
	}
	m := h.model.Now()
	var ends [2]graph.EntityID
	for i, name := range []string{"from", "to"} {
		e, err := m.Entity(given[name])
		if err != nil {
			return nil, badRequest("%s: %w", name, err)
		}
		ends[i] = e.ID()
	}
	if ends[0] == ends[1] {
		return nil, badRequest("both ends are %s", m.EntityLabel(ends[0]))
	}
	var found *connect.Result
	j := s.newJob(min(connectBytes, s.scheduler.most()), func(ctx context.Context) (err error) {
		found, err = connect.Find(ctx, m, ends[0], ends[1], connect.Options{Steps: *steps, K: *limit})
		if found != nil && errors.Is(err, context.DeadlineExceeded) {
			found.Incomplete = "it ended at the deadline"
			return nil
		}
		return err
	})
	j.large = true // it has nothing to share with others
	if err := s.explained(r.Context(), h, j); err != nil {
		return nil, err
	}
	return found, nil
}
