package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// connectBytes is the memory for a search of ways, mostly for unfinished ones.
const connectBytes = 64 << 20

// Connect finds the best ways from one entity to another.
func (s *Service) Connect(r *http.Request, h *host.Model) (any, error) {
	req := connect.Request{Options: connect.Options{Steps: connect.DefaultSteps, K: connect.DefaultK}}
	if err := s.read(r, &req, &req.K); err != nil {
		return nil, err
	}
	m := h.Now()
	from, to, err := req.Ends(m)
	if err != nil {
		return nil, problem.Refused(err)
	}
	var found *connect.Result
	err = s.large(r.Context(), h, connectBytes, func(ctx context.Context) (err error) {
		found, err = connect.Find(ctx, m, from, to, req.Options)
		if found != nil && errors.Is(err, context.DeadlineExceeded) {
			found.Incomplete = "it ended at the deadline"
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// large runs what shares nothing with questions, with the given bytes of memory or all that a job may have.
func (s *Service) large(ctx context.Context, h *host.Model, need int64, run func(context.Context) error) error {
	j := host.NewJob(min(need, s.host.MaxBytes()), run)
	j.Large = true
	return s.explained(ctx, h, j)
}
