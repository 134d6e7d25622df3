package server

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Bounds on the bodies that come in, and on those that go out.
const (
	maxTransfers     = 1024
	maxTransferBytes = 64 << 20
)

// newIncoming returns the place for the bodies of requests, which have some time each.
func newIncoming(allowed time.Duration) *transfers {
	return &transfers{most: maxTransfers, mostBytes: maxTransferBytes, time: allowed, deadline: (*http.ResponseController).SetReadDeadline}
}

// received reads the body of a request before it is handled.
func (s *Server) received(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		text, err := s.receive(w, r)
		if err != nil {
			w.Header().Set("Connection", "close") // rather than read the rest
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		return h(w, r)
	}
}

// receive returns the body of a request.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	if r.ContentLength > s.Limits.Body {
		return nil, &http.MaxBytesError{Limit: s.Limits.Body}
	}
	t, allowed := s.incoming.enter(http.NewResponseController(w))
	text, err := io.ReadAll(io.TeeReader(http.MaxBytesReader(w, r.Body, s.Limits.Body), t))
	cut := t.leave()
	var tooLarge *http.MaxBytesError
	switch {
	case cut:
		return nil, overloaded("the server receives too many requests to wait for the rest of this one; ask again later")
	case err == nil:
		return text, nil
	case errors.As(err, &tooLarge):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refused(http.StatusRequestTimeout, "too_slow", "the body of the request did not come within %s", allowed)
	}
	return nil, badRequest("the body of the request cannot be read: %w", err)
}
