package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
)

// AskRequest asks for the answers of a query, by default DefaultK of them and defaultSets.
type AskRequest struct {
	Question
	K             *int     `json:"k,omitempty"`
	Offset        *int     `json:"offset,omitempty"`
	Sets          *int     `json:"sets,omitempty"`
	NoStatus      bool     `json:"no_status,omitempty"`
	Status        []string `json:"status,omitempty"`
	InRange       bool     `json:"in_range,omitempty"`
	MinConfidence float64  `json:"min_confidence,omitempty"`
	Type          string   `json:"type,omitempty"`
	Show          []string `json:"show,omitempty"`
	Count         bool     `json:"count,omitempty"`
}

// envelope is what each response to a question says beside the reply.
type envelope struct {
	Kind     string          `json:"kind"`
	Query    string          `json:"query"`
	Engine   compiler.Engine `json:"engine"`
	Model    string          `json:"model"`
	Settings model.Settings  `json:"settings"`
	Seconds  float64         `json:"seconds"`
	Warnings []string        `json:"warnings,omitempty"`
}

// work says how answers of one variable were found.
type work struct {
	Shape     string `json:"shape"`
	ShapeName string `json:"shape_name,omitempty"`
	Layers    []int  `json:"layers,omitempty"`
	Batch     int    `json:"batch"`
}

// Response is the reply to a question and how it was found.
type Response struct {
	envelope envelope
	work     *work // nil but for answers of one variable
	*runtime.Reply
}

func newResponse(h *openModel, a *compiler.Analysis, engine compiler.Engine, settings model.Settings, took time.Duration, r *runtime.Reply) *Response {
	e := envelope{
		Kind: r.Kind.String(), Query: oneLine(a.Source), Engine: engine, Model: h.model.Manifest.Name, Settings: settings, Seconds: took.Seconds(),
	}
	for _, warning := range a.Source.Warnings {
		e.Warnings = append(e.Warnings, warning.String())
	}
	return &Response{envelope: e, Reply: r}
}

// MarshalJSON writes one object.
func (r *Response) MarshalJSON() ([]byte, error) {
	if r.work == nil {
		return print.Object(&r.envelope, r.Reply)
	}
	return print.Object(&r.envelope, r.work, r.Reply)
}

// defaultSets is the number of members of a fuzzy set that are shown.
const defaultSets = 3

// ask answers one query, given as JSON or in the query string.
func (s *Server) ask(r *http.Request, h *openModel) (any, error) {
	var req AskRequest
	given, err := req.receive(r, &req, "k", "offset", "sets", "status", "in_range", "min_confidence", "type", "show", "count")
	req.Type = cmp.Or(req.Type, given["type"])
	err = cmp.Or(err, given.read("k", &req.K), given.read("offset", &req.Offset), given.read("sets", &req.Sets),
		given.read("in_range", &req.InRange), given.read("min_confidence", &req.MinConfidence), given.read("status", &req.Status), given.read("show", &req.Show),
		given.read("count", &req.Count))
	if err != nil {
		return nil, err
	}
	return s.askAny(r.Context(), h, &req)
}

// options checks what a request asks for.
func (s *Server) options(h *openModel, req *AskRequest, settings *model.Settings) (runtime.Options, error) {
	o := runtime.Options{K: runtime.DefaultK, SetSize: defaultSets, NoStatus: req.NoStatus, Budget: statusBudget, Settings: settings}
	var err error
	o.Filter.Statuses, err = runtime.ParseStatus(req.Status...)
	if err != nil {
		return o, badRequest("%w", err)
	}
	o.Filter.InRange, o.Filter.MinConfidence = req.InRange, req.MinConfidence
	if req.Type != "" {
		o.Filter.Type, err = h.model.Now().ParseType(req.Type)
		if err != nil {
			return o, badRequest("type: %w", err)
		}
	}
	if err := s.numbers(req, &o); err != nil {
		return o, err
	}
	if err := o.Check(h.model.Now()); err != nil {
		return o, badRequest("%w", err)
	}
	return o, nil
}

// numbers sets how many answers a request asks for.
func (s *Server) numbers(req *AskRequest, o *runtime.Options) error {
	if req.Offset != nil {
		o.Offset = *req.Offset
	}
	if req.K != nil {
		o.K = *req.K
	}
	if req.Sets != nil {
		o.SetSize = *req.Sets
	}
	switch {
	case o.K < 1 || o.K > s.Limits.K:
		return badRequest("k is %d, want 1 to %d", o.K, s.Limits.K)
	case o.Offset < 0:
		return badRequest("offset is %d, want 0 or more", o.Offset)
	case o.SetSize < 0 || o.SetSize > s.Limits.K:
		return badRequest("sets is %d, want 0 to %d", o.SetSize, s.Limits.K)
	}
	return nil
}

// askAny answers one question of any kind.
func (s *Server) askAny(ctx context.Context, h *openModel, req *AskRequest) (*Response, error) {
	if err := s.startCompiling(ctx); err != nil {
		return nil, err
	}
	a, err := s.read(h, &req.Question)
	s.stopCompiling()
	if err != nil {
		return nil, err
	}
	asked := a.Source
	if req.Count {
		asked, err = asked.Counting()
		if err != nil {
			return nil, err
		}
	}
	switch asked.Asks() {
	case lang.ForVerdict:
		return s.decide(ctx, h, a, req)
	case lang.ForRows:
		return s.askRows(ctx, h, a, req)
	case lang.ForCount:
		return s.count(ctx, h, req)
	}
	return s.askOne(ctx, h, req)
}

// askOne answers one query.
func (s *Server) askOne(ctx context.Context, h *openModel, req *AskRequest) (*Response, error) {
	p, err := s.prepare(ctx, h, &req.Question)
	if err != nil {
		return nil, err
	}
	return s.askPrepared(ctx, h, p, req)
}

// askPrepared answers one query whose question has been prepared.
func (s *Server) askPrepared(ctx context.Context, h *openModel, p *prepared, req *AskRequest) (*Response, error) {
	o, err := s.options(h, req, &p.Settings)
	if err != nil {
		return nil, err
	}
	if why := p.Query.Uncalibrated(&p.Settings); req.MinConfidence > 0 && why != "" {
		return nil, badRequest("min_confidence: %s", why)
	}
	if req.Show == nil {
		req.Show = p.Source.Shown()
	}
	if err := p.Query.CheckShow(req.Show); err != nil {
		return nil, badRequest("show: %w", err)
	}
	j, err := s.answerTraced(ctx, h, p, o)
	if room := (*device.RoomError)(nil); errors.As(err, &room) {
		p, err = s.bindHere(ctx, h, p)
		if err != nil {
			return nil, err
		}
		j, err = s.answerTraced(ctx, h, p, o)
	}
	if err == nil {
		err = s.show(ctx, p, j.answers, req.Show)
	}
	if err != nil {
		return nil, s.memoryError(err)
	}
	s.metrics.answered(p.Semantics, p.Shape().Key, time.Since(j.asked))
	r := newResponse(h, p.Analysis, p.Engine, p.Settings, j.took, j.answers)
	r.work = &work{Shape: p.Shape().Key, ShapeName: compiler.ShapeName(p.Shape().Key), Batch: j.batch}
	if p.Semantics != model.FIT {
		r.work.Layers = p.Compiled.Optimized.Layers
	}
	return r, nil
}

// batchResult is the outcome of one query of a batch.
type batchResult struct {
	Result *Response `json:"result,omitempty"`
	Error  *problem  `json:"error,omitempty"`
}

// batch answers several queries; each may fail by itself.
func (s *Server) batch(r *http.Request, h *openModel) (any, error) {
	var req struct {
		Queries []json.RawMessage `json:"queries"` // an AskRequest each, which takes a hundred times the bytes of a short one
	}
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	n := len(req.Queries)
	if n < 1 || n > s.Limits.Batch {
		return nil, badRequest("the batch has %d queries, want 1 to %d", n, s.Limits.Batch)
	}
	queries := make([]AskRequest, n)
	for i, text := range req.Queries {
		if err := decodeText(text, &queries[i]); err != nil {
			return nil, err
		}
	}
	// One is admitted already.
	if err := s.admit(n - 1); err != nil {
		return nil, err
	}
	defer s.leave(n - 1)
	results := make([]batchResult, n)
	var wg sync.WaitGroup
	for i := range queries {
		wg.Go(func() {
			var err error
			defer func() {
				if fault := recover(); fault != nil {
					err = recovered(fault)
				}
				if err != nil {
					results[i] = batchResult{Error: s.problem(r, err)}
				}
			}()
			results[i].Result, err = s.askAny(r.Context(), h, &queries[i])
		})
	}
	wg.Wait()
	return struct {
		Results []batchResult `json:"results"`
	}{results}, r.Context().Err()
}
