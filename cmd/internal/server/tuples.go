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
	if err != nil {
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
	o.Show = req.Show
	if err := p.Check(o); err != nil {
		return nil, badRequest("%w", err)
	}
	ctx, span := s.span(ctx, "answer")
	defer func() { end(span, err) }()
	queued := time.Now()
	var rows *runtime.Reply
	var took time.Duration
	err = s.run(ctx, need, func(ctx context.Context) (err error) {
		start := time.Now()
		rows, err = p.Ask(ctx, args, o)
		took = time.Since(start)
		return err
	})
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(p.Semantics, "", time.Since(queued))
	return newResponse(h, a.Analysis, p.Engine, p.Settings, took, rows), nil
}

// partMessages counts the messages that the layers of a query's parts could send.
func partMessages(a *asked) (n int) {
	for _, part := range a.PartsFor(a.semantics) {
		n += messages(part.Shape, a.settings.Layers, part.Semantics(a.semantics))
	}
	return n
}

// checkParts looks the names of a query of any kind up and bounds its size.
func (s *Server) checkParts(h *openModel, a *asked) error {
	if _, err := a.Source.Resolve(h.model.Now()); err != nil {
		return err
	}
	return s.bound(partMessages(a))
}

// prepareParts compiles the parts of a query for main memory, and bounds what they send and the memory that they need.
func (s *Server) prepareParts(ctx context.Context, h *openModel, a *asked) (p *compiler.Prepared, need int64, err error) {
	if err := s.startCompiling(ctx); err != nil {
		return nil, 0, err
	}
	defer s.stopCompiling()
	if err := s.checkParts(h, a); err != nil {
		return nil, 0, err
	}
	now := h.model.Now()
	p, err = a.Prepare(now, s.prepareOptions(a.settings, a.semantics))
	if err != nil {
		return nil, 0, err
	}
	need = p.Bytes()
	for i := range p.Spec().Parts {
		need = max(need, workspaceBytes(now, p.Part(i).Plan()))
	}
	return p, need, s.checkBytes(need)
}
