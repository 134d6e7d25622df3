package transport

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// ReadBody reads the body of a request before it is handled.
func (s *Server) ReadBody(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		text, err := s.receive(w, r)
		if err != nil {
			w.Header().Set("Connection", "close") // instead of reading the rest
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
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, problem.Bad("the body has Content-Encoding %q: send it without", coding)
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
		return nil, problem.Overloaded(1, "the server receives too many requests to wait for the rest of this one")
	case err == nil:
		return text, nil
	case errors.As(err, &tooLarge):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, problem.New("too_slow", "the body of the request did not come within %s", allowed)
	}
	return nil, problem.Bad("the body of the request cannot be read: %w", err)
}
