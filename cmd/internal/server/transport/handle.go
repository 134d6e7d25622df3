package transport

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime"
)

// Handler answers a request, or returns an error that is shown to the client.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Handle converts a Handler to one of the standard library.
func (s *Server) Handle(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.Refuse(w, r, err)
		}
	})
}

// Refuse answers with an error.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := s.Problem(r, err)
	if p.Retry > 0 || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, p.Retry)))
	}
	if err := Respond(w, p.Status, errorBody{p}); err != nil {
		s.Log.Error("internal error", "request_id", p.RequestID, "error", err)
		w.WriteHeader(http.StatusInternalServerError)
	}
}

type errorBody struct {
	Error *problem.Problem `json:"error"`
}

// Problem converts an error to the client's view, and logs the server's faults.
func (s *Server) Problem(r *http.Request, err error) *problem.Problem {
	p := *problem.Of(err) // a copy, since some problems are shared
	p.Message = s.Hide(p.Message)
	p.RequestID = r.Header.Get("X-Request-Id") // from observe
	switch p.Status {
	case http.StatusInternalServerError:
		s.LogFault(err, "request_id", p.RequestID)
	case http.StatusInsufficientStorage:
		s.Log.Error("no room on the disk", "request_id", p.RequestID, "error", err)
	}
	return &p
}

// LogFault logs a fault of the server.
func (s *Server) LogFault(err error, attributes ...any) {
	attributes = append(attributes, "error", err)
	if fault := (*runtime.PanicError)(nil); errors.As(err, &fault) {
		attributes = append(attributes, "stack", string(fault.Stack))
	}
	s.Log.Error("internal error", attributes...)
}

// Slow answers requests without a deadline, since they may write or open a large model.
func (s *Server) Slow(answer func(r *http.Request) (any, error)) http.Handler {
	return s.Handle(s.ReadBody(func(w http.ResponseWriter, r *http.Request) error {
		value, err := answer(r)
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.Bounds.Body))
		if err != nil {
			return err
		}
		return Respond(w, http.StatusOK, value)
	}))
}

// Deliver sends an answer as one of the outgoing transfers.
func (s *Server) Deliver(w http.ResponseWriter, media string, text []byte) {
	t, _ := s.outgoing.enter(http.NewResponseController(w))
	defer t.leave()
	t.Write(text)
	send(w, http.StatusOK, media, text)
}

// Admitted calls work within the deadline, unless too many requests are in flight.
func (s *Server) Admitted(ctx context.Context, work func(context.Context) error) error {
	if s.inFlight.Add(1) > int64(s.Limits.InFlight) {
		s.inFlight.Add(-1)
		return problem.Overloaded(1, "the server has %d requests to answer already", s.Limits.InFlight)
	}
	defer s.inFlight.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Work())
	defer cancel()
	err := work(ctx)
	// The error does not tell which of the two ended the request.
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = ctx.Err()
	}
	return err
}

// Bearers requires a token, and compares it in constant time.
func (s *Server) Bearers(token, realm, what string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(sent), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`"`)
			s.Refuse(w, r, problem.New("unauthorized", "want the header Authorization: Bearer with %s", what))
			return
		}
		next.ServeHTTP(w, r)
	})
}
