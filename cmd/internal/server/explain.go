package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/runtime/kind"
)

// ExplainRequest asks for the compilation of a query.
type ExplainRequest struct {
	Question
	Plans bool `json:"plans,omitempty"`
}

// explain reports on a query: its graph, the messages of each layer, its cost.
func (s *Server) explain(r *http.Request, h *openModel) (any, error) {
	var req ExplainRequest
	given, err := req.receive(r, &req, "plans")
	if err = cmp.Or(err, given.read("plans", &req.Plans)); err != nil {
		return nil, err
	}
	if err := s.startCompiling(r.Context()); err != nil {
		return nil, err
	}
	defer s.stopCompiling()
	a, err := s.check(h, &req.Question)
	if err != nil {
		return nil, err
	}
	report, err := explain.New(a.Analysis, a.settings.Layers, a.semantics)
	if err != nil && a.Source.Asks() == kind.Verdict {
		return nil, refused(http.StatusUnprocessableEntity, "sentence", "%s", err)
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = report.JSON(&text, req.Plans)
	return json.RawMessage(text.Bytes()), err
}
