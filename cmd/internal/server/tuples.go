package server

import (
	"context"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
)

// askRows answers a query with several answer variables, in main memory and apart from other queries.
func (s *Server) askRows(ctx context.Context, h *openModel, a *asked, req *AskRequest) (r *Response, err error) {
	o, err := s.options(h, req, &a.settings)
	switch {
	case err != nil:
		return nil, err
	case req.Count:
		return nil, badRequest("answers of several variables are not counted: leave out count, or ask for one variable")
	}
	p, need, err := s.prepareRows(ctx, h, a)
	if err != nil {
		return nil, err
	}
	b, err := p.Bindings(req.Args)
	if err != nil {
		return nil, badRequest("args: %w", err)
	}
	o.Show = req.Show
	if o.Show == nil {
		o.Show = a.Source.Shown()
	}
	if err := p.Query.Check(o); err != nil {
		return nil, badRequest("%w", err)
	}
	ctx, span := s.span(ctx, "answer")
	defer func() { end(span, err) }()
	queued := time.Now()
	var rows *runtime.Reply
	var took time.Duration
	err = s.run(ctx, need, func(ctx context.Context) (err error) {
		start := time.Now()
		rows, err = p.Query.Answer(ctx, b, o)
		took = time.Since(start)
		return err
	})
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(p.Semantics, "", time.Since(queued))
	return newResponse(h, a.Analysis, p.Parts[0].Engine, p.Settings, took, rows), nil
}

// partMessages counts the messages that the layers of a query's parts could send.
func partMessages(a *asked) (n int) {
	for _, part := range a.PartsFor(a.semantics) {
		n += messages(part.Shape, a.settings.Layers, part.Semantics())
	}
	return n
}

// prepareRows compiles the parts of a query, and bounds what they send and the memory that it needs.
func (s *Server) prepareRows(ctx context.Context, h *openModel, a *asked) (p *compiler.Tuples, need int64, err error) {
	if err := s.startCompiling(ctx); err != nil {
		return nil, 0, err
	}
	defer s.stopCompiling()
	if err := s.bound(partMessages(a)); err != nil {
		return nil, 0, err
	}
	now := h.model.Now()
	p, err = a.PrepareTuples(now, s.prepareOptions(a.settings, a.semantics))
	if err != nil {
		return nil, 0, err
	}
	need = p.Query.Bytes()
	for _, part := range p.Parts {
		need = max(need, workspaceBytes(now, part.Query.Plan()))
	}
	return p, need, s.checkBytes(need)
}
