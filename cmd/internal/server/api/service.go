// Package api holds the server's capabilities, one per file: the request, its check, and its answer over HTTP and for
// assistants.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/lang"
)

// Options configure a Service.
type Options struct {
	// Version is shown to clients.
	Version string
	// TemplateFile, if not nil, has the queries shown as forms.
	TemplateFile *lang.File
	Log          *slog.Logger
	Metrics      *metrics.Metrics
	Limits       limits.Limits
}

// Service answers requests on the model of a host.
type Service struct {
	Options
	host      *host.Host
	transport *transport.Server
	batches   *semaphore.Weighted // running queries of all batches
	examples  atomic.Pointer[foundExamples]
}

// New returns a service.
func New(o Options, h *host.Host, t *transport.Server) *Service {
	return &Service{Options: o, host: h, transport: t, batches: semaphore.NewWeighted(int64(max(o.Limits.Batch, o.Limits.InFlight/2)))}
}

// Answerer returns the answer to a request on a model.
type Answerer func(r *http.Request, h *host.Model) (any, error)

// Posted reads a request and answers it.
func Posted[Request, Response any](answer func(context.Context, *host.Model, *Request) (Response, error)) Answerer {
	return func(r *http.Request, h *host.Model) (any, error) {
		var req Request
		if err := transport.Read(r, &req); err != nil {
			return nil, err
		}
		return answer(r.Context(), h, &req)
	}
}

// Limited bounds the time of a request and the number in progress. Receiving the request and sending the answer do
// not count.
func (s *Service) Limited(answer Answerer) http.Handler {
	return s.transport.Handle(s.transport.ReadBody(func(w http.ResponseWriter, r *http.Request) error {
		var text []byte
		err := s.admitted(r.Context(), func(ctx context.Context, h *host.Model) error {
			value, err := answer(r.WithContext(ctx), h)
			if err == nil {
				text, err = transport.Encode(value)
			}
			return err
		})
		if err == nil {
			s.transport.Deliver(w, transport.JSON, text)
		}
		return err
	}))
}

// admitted calls work with the model in use, within the deadline, unless too many requests are in flight.
func (s *Service) admitted(ctx context.Context, work func(context.Context, *host.Model) error) error {
	return s.transport.Admitted(ctx, func(ctx context.Context) error {
		return s.host.With(func(h *host.Model) error { return work(ctx, h) })
	})
}
