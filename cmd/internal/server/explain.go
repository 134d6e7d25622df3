package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/explain"
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
	a, err := s.read(h, &req.Question)
	if err == nil {
		err = s.checkParts(h, a)
	}
	var report *explain.Report
	if err == nil {
		report, err = explain.New(a.Analysis, a.settings.Layers, a.semantics)
	}
	if err != nil {
		return nil, s.sentence(h, &req.Question, err)
	}
	var text bytes.Buffer
	err = report.JSON(&text, req.Plans)
	return json.RawMessage(text.Bytes()), err
}
