package api

import (
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// receive reads a request that the question is part of: from JSON, or from the query string. names are the
// parameters allowed there beside the question's. It returns all parameters.
func receive(q *host.Question, r *http.Request, request any, names ...string) (transport.Params, error) {
	if r.Method == http.MethodPost {
		return nil, transport.Decode(r, request)
	}
	given, err := transport.ReadParams(r, append(names, "formula", "semantics")...)
	q.Formula = given["formula"]
	q.Semantics = given["semantics"]
	return given, err
}
