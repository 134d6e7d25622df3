package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime"
)

// Bounds of a search for missing facts.
const (
	defaultMissing        = 25
	defaultQuestions      = 10_000
	missingBytesPerEntity = 2 << 10
)

// Missing lists the facts that the graph most likely lacks. At the deadline, it returns the likeliest found so far.
func (s *Service) Missing(r *http.Request, h *host.Model) (any, error) {
	req := missing.Request{K: s.defaultK(defaultMissing), Questions: defaultQuestions, MinConfidence: missing.DefaultMinConfidence}
	if err := s.read(r, &req, &req.K); err != nil {
		return nil, err
	}
	if req.Questions > missing.DefaultQuestions {
		return nil, problem.Bad("questions is %d, want 1 to %d", req.Questions, missing.DefaultQuestions)
	}
	m := h.Now()
	o, err := req.Options(m)
	if err != nil {
		return nil, problem.Refused(err)
	}
	return s.missing(r.Context(), h, m, o)
}

// missing searches for missing facts. After an error the search may continue, and still write its result.
func (s *Service) missing(ctx context.Context, h *host.Model, m *runtime.Model, o missing.Options) (*missing.Result, error) {
	var found *missing.Result
	err := s.large(ctx, h, nil, missingBytesPerEntity*int64(m.NumEntities()), func(ctx context.Context) error {
		search, err := missing.New(m, o)
		if err != nil {
			return problem.New("uncalibrated", "%w", err)
		}
		found, err = search.Run(ctx)
		if found != nil && errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// large runs a job that shares nothing with questions, with the given bytes of memory or as many as a job may have.
func (s *Service) large(ctx context.Context, h *host.Model, p *host.Prepared, need int64, run func(context.Context) error) error {
	j := host.NewJob(p, min(need, s.host.MaxBytes()), run)
	j.Large = true
	return s.host.Do(ctx, h, j)
}
