package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime"
)

// Bounds of a search for missing facts.
const (
	defaultMissing        = 25
	maxMissing            = 1000
	defaultQuestions      = 10_000
	missingBytesPerEntity = 2 << 10
)

// Missing lists the facts that the graph most likely lacks. If its time is over, it has the likeliest so far.
func (s *Service) Missing(r *http.Request, h *host.Model) (any, error) {
	m := h.Now()
	o, err := s.missingOptions(r, m)
	if err != nil {
		return nil, err
	}
	var found *missing.Result
	j := host.NewJob(min(missingBytesPerEntity*int64(m.NumEntities()), s.host.MaxBytes()), func(ctx context.Context) error {
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
	j.Large = true // it has nothing to share with others
	if err := s.explained(r.Context(), h, j); err != nil {
		return nil, err
	}
	return found, nil
}

// missingOptions reads the options of the search from a request.
func (s *Service) missingOptions(r *http.Request, m *runtime.Model) (o missing.Options, err error) {
	k := new(defaultMissing)
	questions := new(defaultQuestions)
	least := missing.DefaultMinConfidence
	given, err := transport.ReadParams(r, "relation", "type", "entity", "limit", "questions", "min_confidence")
	err = cmp.Or(err, given.Read("limit", &k), given.Read("questions", &questions), given.Read("min_confidence", &least))
	switch {
	case err != nil:
		return o, err
	case *k < 1 || *k > maxMissing:
		return o, problem.Bad("limit is %d, want 1 to %d", *k, maxMissing)
	case *questions < 1 || *questions > missing.DefaultQuestions:
		return o, problem.Bad("questions is %d, want 1 to %d", *questions, missing.DefaultQuestions)
	case !(least > 0 && least <= 1):
		return o, problem.Bad("min_confidence is %v, want a number above 0, at most 1", least)
	}
	o = missing.Options{K: *k, Questions: *questions, MinConfidence: least}
	if name := given["relation"]; name != "" {
		relation, err := m.Relation(name)
		if err != nil {
			return o, problem.Bad("relation: %w", err)
		}
		o.Relation = new(relation.ID())
	}
	if name := given["entity"]; name != "" {
		entity, err := m.Entity(name)
		if err != nil {
			return o, problem.Bad("entity: %w", err)
		}
		o.Head = new(entity.ID())
	}
	if name := given["type"]; name != "" {
		o.Type, err = m.ParseType(name)
		if err != nil {
			return o, problem.Bad("type: %w", err)
		}
	}
	return o, nil
}
