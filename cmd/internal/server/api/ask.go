package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// AskRequest asks for the answers of a query.
type AskRequest struct {
	host.Question
	wanted.Answers
	Sets     int  `json:"sets,omitempty"`
	NoStatus bool `json:"no_status,omitempty" query:"-"`
}

// newAsk returns a request with the defaults.
func (s *Service) newAsk() AskRequest { return AskRequest{Sets: s.defaultK(3)} }

// statusBudget bounds the exact check of an answer, in candidates and edges.
const statusBudget = 200_000

// Ask answers one query, given as JSON or in the query string.
func (s *Service) Ask(r *http.Request, h *host.Model) (any, error) {
	req := s.newAsk()
	if err := transport.Read(r, &req); err != nil {
		return nil, err
	}
	return s.answer(r.Context(), h, &req)
}

// options converts and checks a request's options.
func (s *Service) options(req *AskRequest, p *host.Prepared) (o runtime.Options, err error) {
	if req.Sets > s.Limits.K {
		return o, problem.Bad("sets is %d, want 0 to %d", req.Sets, s.Limits.K)
	}
	o, err = req.Answers.Options(p.Model())
	if err != nil {
		return o, problem.Refused(err)
	}
	if req.K == 0 {
		o.K = s.defaultK(cmp.Or(o.K, s.Limits.K))
	}
	o.SetSize = req.Sets
	o.NoStatus = req.NoStatus
	return o, s.checkK(o.K)
}

// answer answers one question of any kind.
func (s *Service) answer(ctx context.Context, h *host.Model, req *AskRequest) (*Response, error) {
	p, err := s.host.Prepare(ctx, h, &req.Question)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if req.Compare {
		p.Against, err = s.withoutAssumptions(ctx, h, p, req)
		if err != nil {
			return nil, err
		}
	}
	o, err := s.options(req, p)
	if err != nil {
		return nil, err
	}
	return s.answerPrepared(ctx, h, p, o)
}

// withoutAssumptions prepares a question without its assumptions, on the same facts otherwise.
func (s *Service) withoutAssumptions(ctx context.Context, h *host.Model, p *host.Prepared, req *AskRequest) (*host.Prepared, error) {
	if len(req.Assume) == 0 {
		return nil, problem.Bad("compare shows what assumptions change: give some in assume")
	}
	q := req.Question
	q.Assume = nil
	q.At = p.Model().Base()
	base, err := s.host.Prepare(ctx, h, &q)
	if err == nil {
		_, err = s.options(req, base)
	}
	if err != nil && problem.Of(err).Code == "unknown_name" {
		err = problem.Bad("compare: without the assumptions, %v", err)
	}
	return base, err
}

// answerPrepared answers a prepared question of any kind.
func (s *Service) answerPrepared(ctx context.Context, h *host.Model, p *host.Prepared, o runtime.Options) (*Response, error) {
	o.Budget = statusBudget
	if err := p.Check(o); err != nil {
		return nil, err
	}
	reply, j, err := s.put(ctx, h, p, o)
	if room := (*device.RoomError)(nil); errors.As(err, &room) || errors.Is(err, device.ErrEpsilon) {
		p, err = s.host.BindHere(ctx, h, p)
		if err != nil {
			return nil, err
		}
		reply, j, err = s.put(ctx, h, p, o)
	}
	if err != nil {
		return nil, err
	}
	return s.respond(p, j, reply), nil
}

// put runs a question, and also returns its job, unless the client has gone.
func (s *Service) put(ctx context.Context, h *host.Model, p *host.Prepared, o runtime.Options) (reply *runtime.Reply, j *host.Job, err error) {
	var found *runtime.Reply // not the result, which may be returned before the work ends
	j = host.NewJob(p, p.Need, func(ctx context.Context) (err error) {
		if p.Against == nil {
			found, err = p.Ask(ctx, p.Given, o)
		} else {
			found, err = p.AskAgainst(ctx, p.Against.Question, p.Given, o)
		}
		if found != nil && errors.Is(err, context.DeadlineExceeded) { // the reply is marked as incomplete
			return nil
		}
		if err != nil || p.Bare {
			return err
		}
		return p.Believe(ctx, found)
	})
	j.Large = p.Messages > host.MaxShared
	err = s.host.Do(ctx, h, j)
	if err != nil {
		return nil, nil, err
	}
	return found, j, nil
}

// respond builds the response for a question's reply.
func (s *Service) respond(p *host.Prepared, j *host.Job, reply *runtime.Reply) *Response {
	shape := p.ShapeKey()
	s.count(p.Semantics, shape, time.Since(j.Asked))
	engine := p.Engine
	if p.Kind == plan.Verdict { // whose parts may have several
		engine = compiler.EngineAuto
	}
	r := newResponse(p, engine, j.Took, reply)
	if p.Kind != plan.Answers {
		return r
	}
	r.work = &work{Shape: shape, ShapeName: stages.ShapeName(shape), Batch: j.Batch}
	if p.Semantics != model.FIT {
		r.work.Layers = p.Layers
	}
	return r
}

// count counts a query and its latency, including waiting. A query with several answer variables has no shape.
func (s *Service) count(semantics model.Semantics, shape string, took time.Duration) {
	group := cmp.Or(benchmark.Group(stages.ShapeName(shape)), "other")
	s.Metrics.Answers.With(semantics.String(), group).Update(took.Seconds())
}
