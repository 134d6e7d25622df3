package api

import (
	"context"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// WitnessRequest asks why entities are answers of a query.
type WitnessRequest struct {
	host.Question
	Entities []string `json:"entities" jsonschema:"answers to explain, at most 10; with why_not one entity for each answer variable, in order"`
}

// maxWitnesses bounds the entities of a request.
const maxWitnesses = 10

// WitnessResponse has a witness for each of the entities, in order. Truth degrees find them under any semantics.
type WitnessResponse struct {
	Semantics model.Semantics   `json:"semantics"`
	Witnesses []runtime.Witness `json:"witnesses"`
}

// Witness finds the best witness of each answer: values of the existential variables, and whether each atom's link is
// observed.
func (s *Service) Witness(ctx context.Context, h *host.Model, req *WitnessRequest) (*WitnessResponse, error) {
	p, ids, err := s.explaining(ctx, h, req)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if _, err := p.Sole(); err != nil {
		return nil, err
	}
	var found []runtime.Witness
	j := host.NewJob(p, p.Need, func(ctx context.Context) (err error) {
		found, err = p.Why(ctx, p.Given, runtime.Options{}, ids...)
		return err
	})
	j.Large = p.Messages > host.MaxShared
	if err := s.host.Do(ctx, h, j); err != nil {
		return nil, err
	}
	return &WitnessResponse{p.Semantics, found}, nil
}

// explaining prepares the question of a request and looks its entities up.
func (s *Service) explaining(ctx context.Context, h *host.Model, req *WitnessRequest) (p *host.Prepared, ids []graph.EntityID, err error) {
	if n := len(req.Entities); n < 1 || n > maxWitnesses {
		return nil, nil, problem.Bad("entities holds %d names, want 1 to %d", n, maxWitnesses)
	}
	p, err = s.host.Prepare(ctx, h, &req.Question)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range req.Entities {
		e, err := p.Model().Entity(name)
		if err != nil {
			p.Release()
			return nil, nil, problem.Bad("entities: %w", err)
		}
		ids = append(ids, e.ID())
	}
	return p, ids, nil
}

// WhyNotResponse explains why the entities, one for each answer variable in order, are not an answer.
type WhyNotResponse struct {
	Semantics model.Semantics `json:"semantics"`
	*runtime.WhyNot
}

// whyNotBytes is the memory for a search of the nearest values.
const whyNotBytes = 256 << 20

// WhyNot finds the values that come closest to making entities an answer, and what fails there.
func (s *Service) WhyNot(ctx context.Context, h *host.Model, req *WitnessRequest) (*WhyNotResponse, error) {
	p, ids, err := s.explaining(ctx, h, req)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	found := &WhyNotResponse{Semantics: p.Semantics}
	err = s.large(ctx, h, p, p.Need+whyNotBytes, func(ctx context.Context) (err error) {
		found.WhyNot, err = p.WhyNot(ctx, p.Given, runtime.Options{}, ids...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
