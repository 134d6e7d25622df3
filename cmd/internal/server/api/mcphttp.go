package api

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// mcpKey is the key, in the context of a call over HTTP, of the request's context. That ends when the client
// disconnects, which the SDK hides from its calls.
type mcpKey struct{}

// MCP answers assistants over HTTP. Each request is independent and contains one message: the protocol has had no
// arrays since its version of 2025-06-18.
func (s *Service) MCP() http.Handler {
	tools := s.mcpServer()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: s.Log, MaxRequestBodyBytes: s.Limits.Body,
		DisableLocalhostProtection: true, // requireHost has checked the host
	})
	return s.transport.Handle(s.transport.ReadBody(func(w http.ResponseWriter, r *http.Request) error {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
			return problem.Bad("the request is an array of messages: send each by itself")
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), mcpKey{}, r.Context())))
		return nil
	}))
}

// admittedCall is admitted for a tool call, which may belong to a request over HTTP.
func (s *Service) admittedCall(ctx context.Context, work func(context.Context, *host.Model) error) error {
	if request, ok := ctx.Value(mcpKey{}).(context.Context); ok {
		call, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		ctx = call
	}
	return s.admitted(ctx, work)
}
