package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
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

func newResponse(h *openModel, a *stages.Analysis, engine compiler.Engine, settings model.Settings, took time.Duration, r *runtime.Reply) *Response {
	e := envelope{
		Kind: r.Kind.String(), Query: a.Line, Engine: engine, Model: h.model.Bundle().Manifest.Name, Settings: settings, Seconds: took.Seconds(),
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

const (
	// defaultSets is the number of members of a fuzzy set that are shown.
	defaultSets = 3
	// statusBudget bounds the exact check of an answer, in candidates and edges.
	statusBudget = 200_000
)

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
	return s.answer(r.Context(), h, &req)
}

// options checks what a request asks for.
func (s *Server) options(h *openModel, req *AskRequest, p *prepared) (runtime.Options, error) {
	o := runtime.Options{K: runtime.DefaultK, SetSize: defaultSets, NoStatus: req.NoStatus, Budget: statusBudget, Settings: &p.Settings, Show: req.Show}
	var err error
	o.Filter.Statuses, err = runtime.ParseStatus(req.Status...)
	if err != nil {
		return o, badRequest("%w", err)
	}
	o.Filter.InRange = req.InRange
	o.Filter.MinConfidence = req.MinConfidence
	if req.Type != "" {
		o.Filter.Type, err = p.Model().ParseType(req.Type)
		if err != nil {
			return o, badRequest("type: %w", err)
		}
	}
	if err := s.numbers(req, &o); err != nil {
		return o, err
	}
	return o, p.Check(o)
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

// answer answers one question of any kind.
func (s *Server) answer(ctx context.Context, h *openModel, req *AskRequest) (*Response, error) {
	p, err := s.prepare(ctx, h, &req.Question, req.Count)
	if err != nil {
		return nil, err
	}
	return s.answerPrepared(ctx, h, p, req)
}

// answerPrepared answers one question that has been prepared.
func (s *Server) answerPrepared(ctx context.Context, h *openModel, p *prepared, req *AskRequest) (*Response, error) {
	o, err := s.options(h, req, p)
	if err != nil {
		return nil, err
	}
	reply, j, err := s.put(ctx, h, p, o)
	if room := (*device.RoomError)(nil); errors.As(err, &room) || errors.Is(err, device.ErrEpsilon) {
		p, err = s.bindHere(ctx, h, p)
		if err != nil {
			return nil, err
		}
		reply, j, err = s.put(ctx, h, p, o)
	}
	if err != nil {
		return nil, err
	}
	return s.respond(h, p, j, reply), nil
}

// put puts a question to the model, and returns the job that did so, too, unless nobody waits for it any more.
func (s *Server) put(ctx context.Context, h *openModel, p *prepared, o runtime.Options) (reply *runtime.Reply, j *job, err error) {
	ctx, span := s.span(ctx, "answer")
	defer func() {
		s.traceAnswer(ctx, span, p, j)
		end(span, err)
	}()
	var found *runtime.Reply // not the result, which may be returned before the work ends
	j = s.newJob(p.bytes, func(ctx context.Context) (err error) {
		found, err = p.Ask(ctx, p.args, o)
		if found != nil && errors.Is(err, context.DeadlineExceeded) { // it says that it is incomplete
			return nil
		}
		if err != nil || p.bare {
			return err
		}
		return missing.JudgeReply(ctx, p.Model(), s.single(&p.Semantics), found)
	})
	j.large = p.messages > maxShared
	err = s.do(ctx, h, j)
	if err != nil {
		return nil, nil, err
	}
	return found, j, nil
}

// respond says how a question was answered.
func (s *Server) respond(h *openModel, p *prepared, j *job, reply *runtime.Reply) *Response {
	shape := p.shape()
	s.metrics.answered(p.Semantics, shape, time.Since(j.asked))
	engine := p.Engine
	if p.kind == plan.Verdict { // whose parts may have several
		engine = compiler.EngineAuto
	}
	r := newResponse(h, p.Analysis, engine, p.Settings, j.took, reply)
	if p.kind != plan.Answers {
		return r
	}
	r.work = &work{Shape: shape, ShapeName: stages.ShapeName(shape), Batch: j.batch}
	if p.Semantics != model.FIT {
		r.work.Layers = p.Layers()
	}
	return r
}

// batchResult is the outcome of one query of a batch.
type batchResult struct {
	Result *Response `json:"result,omitempty"`
	Error  *problem  `json:"error,omitempty"`
}

// batch answers several queries about the same facts; each may fail by itself.
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
	now := h.model.Now()
	for i, text := range req.Queries {
		if err := decodeText(text, &queries[i]); err != nil {
			return nil, err
		}
		queries[i].at = now
	}
	if err := s.batches.Acquire(r.Context(), int64(n)); err != nil {
		return nil, err
	}
	defer s.batches.Release(int64(n))
	return s.answerBatch(r, h, queries)
}

// answerBatch answers the queries of a batch, a few at a time so that it is not in the way of other requests. It fails
// only if the client has gone, or if the deadline came before any was answered.
func (s *Server) answerBatch(r *http.Request, h *openModel, queries []AskRequest) (any, error) {
	results := make([]batchResult, len(queries))
	var together errgroup.Group
	together.SetLimit(2 * s.Limits.Long)
	for i := range queries {
		together.Go(func() error {
			results[i] = s.answerOne(r, h, &queries[i])
			return nil
		})
	}
	together.Wait()
	err := r.Context().Err()
	answered := func(b batchResult) bool { return b.Result != nil }
	if errors.Is(err, context.DeadlineExceeded) && slices.ContainsFunc(results, answered) {
		err = nil
	}
	return struct {
		Results []batchResult `json:"results"`
	}{results}, err
}

// answerOne answers a query of a batch.
func (s *Server) answerOne(r *http.Request, h *openModel, query *AskRequest) (b batchResult) {
	var err error
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault)
		}
		if err != nil {
			b = batchResult{Error: s.problem(r, err)}
		}
	}()
	b.Result, err = s.answer(r.Context(), h, query)
	return b
}
