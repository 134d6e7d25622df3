package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime/model/graph"
)

// connectBytes is the memory for a search of ways, most of it for unfinished ones.
const connectBytes = 64 << 20

// Connect finds the best ways from one entity to another.
func (s *Service) Connect(r *http.Request, h *host.Model) (any, error) {
	steps := new(connect.DefaultSteps)
	limit := new(connect.DefaultK)
	given, err := transport.ReadParams(r, "from", "to", "steps", "limit")
	if err = cmp.Or(err, given.Read("steps", &steps), given.Read("limit", &limit)); err == nil {
		err = checkFound(*limit, "")
	}
	switch {
	case err != nil:
		return nil, err
	case *steps < 1 || *steps > connect.MaxSteps:
		return nil, problem.Bad("steps is %d, want 1 to %d", *steps, connect.MaxSteps)
	}
	m := h.Now()
	var ends [2]graph.EntityID
	for i, name := range []string{"from", "to"} {
		e, err := m.Entity(given[name])
		if err != nil {
			return nil, problem.Bad("%s: %w", name, err)
		}
		ends[i] = e.ID()
	}
	if ends[0] == ends[1] {
		return nil, problem.Bad("both ends are %s", m.EntityLabel(ends[0]))
	}
	var found *connect.Result
	j := host.NewJob(min(connectBytes, s.host.MaxBytes()), func(ctx context.Context) (err error) {
		found, err = connect.Find(ctx, m, ends[0], ends[1], connect.Options{Steps: *steps, K: *limit})
		if found != nil && errors.Is(err, context.DeadlineExceeded) {
			found.Incomplete = "it ended at the deadline"
			return nil
		}
		return err
	})
	j.Large = true // it has nothing to share with others
	if err := s.explained(r.Context(), h, j); err != nil {
		return nil, err
	}
	return found, nil
}
