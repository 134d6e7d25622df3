package server

import (
	"context"
	"net/http"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// Possible is the least confidence of a possible answer; from runtime.Likely on it is probable.
const Possible = 0.1

// noAnswers refuses fields of a request that only a list of answers has.
func (r *AskRequest) noAnswers(asks string) error {
	if r.Offset != nil && *r.Offset != 0 || len(r.Status) > 0 || r.InRange || r.MinConfidence != 0 || len(r.Show) > 0 {
		return badRequest("offset, status, in_range, min_confidence and show are for answers, and the question asks %s", asks)
	}
	return nil
}

// decide answers a sentence.
func (s *Server) decide(ctx context.Context, h *openModel, a *asked, req *AskRequest) (*Response, error) {
	if err := req.noAnswers("yes or no"); err != nil {
		return nil, err
	}
	if req.Type != "" {
		return nil, badRequest("type is for answers, and the question asks yes or no")
	}
	if err := s.numbers(req, &runtime.Options{K: runtime.DefaultK}); err != nil {
		return nil, err
	}
	p, need, err := s.prepareParts(ctx, h, a)
	if err != nil {
		return nil, err
	}
	args, err := p.Args(req.Args)
	if err != nil {
		return nil, badRequest("args: %w", err)
	}
	var r *runtime.Reply
	var took time.Duration
	err = s.explained(ctx, need, func(ctx context.Context) (err error) {
		start := time.Now()
		r, err = p.Ask(ctx, args, runtime.Options{Budget: statusBudget})
		took = time.Since(start)
		return err
	})
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(a.semantics, "", took)
	return newResponse(h, a.Analysis, compiler.EngineAuto, a.settings, took, r), nil
}

// sentence explains an error on a sentence for which more than yes or no was requested. It reports
// mistakes in the sentence before the given refusal.
func (s *Server) sentence(h *openModel, q *Question, refusal error) error {
	a, err := s.read(h, q)
	if err != nil || a.Source.Asks() != lang.ForVerdict {
		return refusal
	}
	if err := s.checkParts(h, a); err != nil {
		return err
	}
	return refused(http.StatusUnprocessableEntity, "sentence", "%s", refusal)
}

// count estimates the number of answers of a query, in main memory.
func (s *Server) count(ctx context.Context, h *openModel, req *AskRequest) (*Response, error) {
	if err := req.noAnswers("how many there are"); err != nil {
		return nil, err
	}
	p, err := s.prepare(ctx, h, &req.Question)
	if err != nil {
		return nil, err
	}
	if h.onDevice != nil {
		p, err = s.bindHere(ctx, h, p)
		if err != nil {
			return nil, err
		}
	}
	o, err := s.options(h, req, &p.Settings)
	if err != nil {
		return nil, err
	}
	var n *runtime.Count
	var took time.Duration
	err = s.explained(ctx, p.bytes, func(ctx context.Context) (err error) {
		start := time.Now()
		n, err = p.Query.Count(ctx, p.bindings, o)
		took = time.Since(start)
		return err
	})
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(p.Semantics, p.Shape().Key, took)
	return newResponse(h, p.Analysis, p.Engine, p.Settings, took, &runtime.Reply{Kind: plan.Count, Count: n}), nil
}
