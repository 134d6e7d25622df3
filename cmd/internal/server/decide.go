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
	if req.Count || req.Type != "" {
		return nil, badRequest("count and type are for answers, and the question asks yes or no")
	}
	if err := s.numbers(req, &runtime.Options{K: runtime.DefaultK}); err != nil {
		return nil, err
	}
	if err := s.checkSentence(h, a); err != nil {
		return nil, err
	}
	claims, need, err := s.prepareSentence(ctx, h, a, req.Args)
	if err != nil {
		return nil, err
	}
	var v *runtime.Verdict
	var took time.Duration
	err = s.explained(ctx, need, func(ctx context.Context) (err error) {
		start := time.Now()
		v, err = runtime.Decide(ctx, a.Source.Parts.Disjuncts, claims, runtime.Options{Settings: &a.settings, Budget: statusBudget})
		took = time.Since(start)
		return err
	})
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(a.semantics, "", took)
	return newResponse(h, a.Analysis, compiler.EngineAuto, a.settings, took, &runtime.Reply{Kind: plan.Verdict, Verdict: v}), nil
}

// prepareSentence compiles the parts of a sentence, and bounds the memory that they need.
func (s *Server) prepareSentence(ctx context.Context, h *openModel, a *asked, args map[string]string) (claims []runtime.Claim, need int64, err error) {
	if err := s.startCompiling(ctx); err != nil {
		return nil, 0, err
	}
	defer s.stopCompiling()
	now := h.model.Now()
	p, err := a.PrepareSentence(now, s.prepareOptions(a.settings, a.semantics))
	if err != nil {
		return nil, 0, err
	}
	claims, err = p.Claims(args)
	if err != nil {
		return nil, 0, badRequest("args: %w", err)
	}
	for _, part := range p.Prepared {
		need = max(need, workspaceBytes(now, part.Query.Plan()))
	}
	return claims, need, s.checkBytes(need)
}

// checkSentence looks the names of a sentence up and bounds its size.
func (s *Server) checkSentence(h *openModel, a *asked) error {
	if _, err := lang.Resolve(a.Source, h.model.Now()); err != nil {
		return err
	}
	n := 0
	for _, part := range a.Claims {
		n += messages(part.Shape, a.settings.Layers, a.semantics)
	}
	return s.bound(n)
}

// sentence explains an error on a sentence for which more than yes or no was requested. It reports
// mistakes in the sentence before the given refusal.
func (s *Server) sentence(h *openModel, q *Question, refusal error) error {
	a, err := s.read(h, q)
	if err != nil || a.Shape != nil {
		return refusal
	}
	if err := s.checkSentence(h, a); err != nil {
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
	s.metrics.answered(p.Semantics, p.Shape.Key, took)
	return newResponse(h, p.Analysis, p.Engine, p.Settings, took, &runtime.Reply{Kind: plan.Count, Count: n}), nil
}
