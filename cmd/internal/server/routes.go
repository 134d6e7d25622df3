package server

import (
	_ "embed"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/web"
)

//go:embed openapi.yaml
var openAPI []byte

// routes returns the server's handler.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]api.Answerer{
		"GET /v1/ask": s.api.Ask, "POST /v1/ask": s.api.Ask, "POST /v1/batch": s.api.Batch,
		"GET /v1/explain": s.api.Explain, "POST /v1/explain": s.api.Explain,
		"POST /v1/witness": api.Posted(s.api.Witness), "POST /v1/why-not": api.Posted(s.api.WhyNot),
		"GET /v1/search": s.api.Search, "GET /v1/model": s.api.Model, "GET /v1/examples": s.api.Examples,
		"GET /v1/entity/{name}": s.api.Entity, "GET /v1/relation/{name}": s.api.Relation,
		"GET /v1/missing": s.api.Missing, "GET /v1/relations": s.api.Relations, "GET /v1/templates": s.api.Templates,
	} {
		mux.Handle(pattern, s.requireToken(s.api.Limited(answer)))
	}
	if s.Token != "" {
		mux.Handle("POST /v1/reload", s.requireToken(s.transport.Slow(s.api.Reload)))
	}
	mux.Handle("GET /sparql", s.requireToken(s.api.SPARQL()))
	mux.Handle("POST /sparql", s.requireToken(s.api.SPARQL()))
	mux.Handle("POST /mcp", s.requireToken(s.api.MCP()))
	mux.Handle("POST /v1/facts", s.mayChange(s.api.Limited(s.api.ChangeFacts)))
	mux.Handle("POST /v1/facts/compact", s.mayChange(s.transport.Slow(s.api.CompactFacts)))
	mux.Handle("GET /metrics", s.requireToken(s.Metrics))
	mux.Handle("GET /healthz", s.transport.Handle(s.api.Healthy))
	mux.Handle("GET /readyz", s.transport.Handle(s.api.Ready))
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		w.Write(openAPI)
	})
	mux.Handle("GET /{$}", web.Handler())
	mux.Handle("GET /static/", web.Handler())
	// Pages of other sites must not make a browser send requests (CSRF).
	return s.transport.Observe(mux, s.transport.RequireHost(http.NewCrossOriginProtection().Handler(mux)))
}

// requireToken requires the token, if there is one.
func (s *Server) requireToken(next http.Handler) http.Handler {
	if s.Token == "" {
		return next
	}
	return s.transport.Bearers(s.Token, "efoc", "the server's token", next)
}

// mayChange requires the token for facts; without one it refuses everybody.
func (s *Server) mayChange(next http.Handler) http.Handler {
	if s.FactsToken == "" {
		return s.transport.Handle(func(http.ResponseWriter, *http.Request) error {
			return problem.New("facts_fixed", "this server does not change facts: start it with --facts-token-file, and send that token")
		})
	}
	return s.transport.Bearers(s.FactsToken, "efoc facts", "the server's token for facts, which is another than that for questions", next)
}
