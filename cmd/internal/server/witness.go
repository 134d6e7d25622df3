package server

import (
	"context"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// WitnessRequest asks why entities are answers of a query.
type WitnessRequest struct {
	Question
	Entities []string `json:"entities"`
}

// maxWitnesses bounds the entities of a request.
const maxWitnesses = 10

// witnessResponse has a witness for each of the entities, in order. Whatever the semantics of
// the question, witnesses are found by truth degrees.
type witnessResponse struct {
	Semantics model.Semantics   `json:"semantics"`
	Witnesses []runtime.Witness `json:"witnesses"`
}

// witness finds the best witness of each answer: values of the existential
// variables, and of each atom whether its link is observed.
func (s *Server) witness(r *http.Request, h *openModel) (any, error) {
	var req WitnessRequest
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	return s.witnesses(r.Context(), h, &req)
}

// witnesses answers such a request.
func (s *Server) witnesses(ctx context.Context, h *openModel, req *WitnessRequest) (*witnessResponse, error) {
	if n := len(req.Entities); n < 1 || n > maxWitnesses {
		return nil, badRequest("entities holds %d names, want 1 to %d", n, maxWitnesses)
	}
	p, err := s.prepare(ctx, h, &req.Question, false)
	if err != nil {
		return nil, err
	}
	if _, err := p.Sole(); err != nil {
		return nil, err
	}
	var ids []graph.EntityID
	for _, name := range req.Entities {
		e, err := p.Model().Entity(name)
		if err != nil {
			return nil, badRequest("entities: %w", err)
		}
		ids = append(ids, e.ID())
	}
	var found []runtime.Witness
	j := s.newJob(p.bytes, func(ctx context.Context) (err error) {
		found, err = p.Why(ctx, p.args, runtime.Options{Settings: &p.Settings}, ids...)
		if err != nil {
			return err
		}
		return missing.Judge(ctx, p.Model(), s.single(&p.Semantics), found)
	})
	j.large = p.messages > maxShared
	if err := s.explained(ctx, h, j); err != nil {
		return nil, err
	}
	return &witnessResponse{p.Semantics, found}, nil
}

// explained finds witnesses, or what takes as much work.
func (s *Server) explained(ctx context.Context, h *openModel, j *job) (err error) {
	ctx, span := s.span(ctx, "witness")
	defer func() { end(span, err) }()
	return s.do(ctx, h, j)
}
