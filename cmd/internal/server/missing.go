package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Bounds of a search for missing facts.
const (
	defaultMissing        = 25
	maxMissing            = 1000
	defaultQuestions      = 10_000
	missingBytesPerEntity = 2 << 10
)

// missing lists the facts that the graph most likely lacks. If its time is over, it has the likeliest so far.
func (s *Server) missing(r *http.Request, h *openModel) (any, error) {
	m := h.model.Now()
	o, err := s.missingOptions(r, m)
	if err != nil {
		return nil, err
	}
	var found *missing.Result
	j := s.newJob(min(missingBytesPerEntity*int64(m.NumEntities()), s.scheduler.most()), func(ctx context.Context) error {
		search, err := missing.New(m, o)
		if err != nil {
			return refused(http.StatusUnprocessableEntity, "uncalibrated", "%w", err)
		}
		found, err = search.Run(ctx)
		if found != nil && errors.Is(err, context.DeadlineExceeded) {
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

// missingOptions reads the options of the search from a request.
func (s *Server) missingOptions(r *http.Request, m *runtime.Model) (o missing.Options, err error) {
	k := new(defaultMissing)
	questions := new(defaultQuestions)
	least := missing.DefaultMinConfidence
	given, err := readParams(r, "relation", "type", "entity", "limit", "questions", "min_confidence")
	err = cmp.Or(err, given.read("limit", &k), given.read("questions", &questions), given.read("min_confidence", &least))
	switch {
	case err != nil:
		return o, err
	case *k < 1 || *k > maxMissing:
		return o, badRequest("limit is %d, want 1 to %d", *k, maxMissing)
	case *questions < 1 || *questions > missing.DefaultQuestions:
		return o, badRequest("questions is %d, want 1 to %d", *questions, missing.DefaultQuestions)
	case !(least > 0 && least <= 1):
		return o, badRequest("min_confidence is %v, want a number above 0, at most 1", least)
	}
	o = missing.Options{K: *k, Questions: *questions, MinConfidence: least, Prepare: s.single(nil)}
	if name := given["relation"]; name != "" {
		relation, err := m.Relation(name)
		if err != nil {
			return o, badRequest("relation: %w", err)
		}
		o.Relation = new(relation.ID())
	}
	if name := given["entity"]; name != "" {
		entity, err := m.Entity(name)
		if err != nil {
			return o, badRequest("entity: %w", err)
		}
		o.Head = new(entity.ID())
	}
	if name := given["type"]; name != "" {
		o.Type, err = m.ParseType(name)
		if err != nil {
			return o, badRequest("type: %w", err)
		}
	}
	return o, nil
}

// single says how to prepare questions about single facts; nil means the model's semantics.
func (s *Server) single(semantics *model.Semantics) compiler.Options {
	return compiler.Options{Plans: s.Plans, Cache: &s.cache, Semantics: semantics}
}
