package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpRequest is the request over HTTP that a call belongs to.
type mcpRequest struct {
	ctx      context.Context // ends when the client goes away, which the SDK keeps from its calls
	admitted bool            // with a place for each of its messages
}

// mcpKey finds the mcpRequest in the context of a call.
type mcpKey struct{}

// mcpHandler answers assistants over HTTP. Each request stands alone. An array of messages takes
// a place for each, or is refused.
func (s *Server) mcpHandler() http.Handler {
	tools := s.mcpServer()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: s.Log, MaxRequestBodyBytes: s.Limits.Body,
		DisableLocalhostProtection: true, // local has checked the host
	})
	return s.handle(s.received(func(w http.ResponseWriter, r *http.Request) error {
		n, err := s.messages(r)
		if err == nil {
			err = s.admit(n)
		}
		if err != nil {
			return err
		}
		defer s.leave(n)
		call := &mcpRequest{r.Context(), n > 0}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), mcpKey{}, call)))
		return nil
	}))
}

// messages counts those of a request that is an array; it is 0 for a single message.
func (s *Server) messages(r *http.Request) (int, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	if text = bytes.TrimSpace(text); !bytes.HasPrefix(text, []byte("[")) {
		return 0, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, badRequest("the request is not JSON: %w", err)
	}
	if n := len(list); n < 1 || n > s.Limits.Batch {
		return 0, badRequest("the batch has %d messages, want 1 to %d", n, s.Limits.Batch)
	}
	return len(list), nil
}

// withinCall is within for a call of a tool, which may belong to a request over HTTP.
func (s *Server) withinCall(ctx context.Context, work func(context.Context, *loaded) error) error {
	r, ok := ctx.Value(mcpKey{}).(*mcpRequest)
	if !ok {
		return s.within(ctx, work)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	if r.admitted {
		return s.inDeadline(ctx, work)
	}
	return s.within(ctx, work)
}
