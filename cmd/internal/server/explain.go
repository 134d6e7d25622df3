package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/pause"
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
	var text bytes.Buffer
	err = s.scheduler.run(r.Context(), 0, func(ctx context.Context) error { return s.explanation(ctx, h, &req, &text) })
	return json.RawMessage(text.Bytes()), err
}

// explanation writes what explain reports.
func (s *Server) explanation(ctx context.Context, h *openModel, req *ExplainRequest, to io.Writer) error {
	a, err := s.check(h, &req.Question)
	if err = cmp.Or(err, pause.Here(ctx)); err != nil {
		return err
	}
	report, err := explain.New(a.Analysis, a.settings.Layers, a.semantics)
	if err != nil && a.Source.Asks() == kind.Verdict {
		return refused(http.StatusUnprocessableEntity, "sentence", "%s", err)
	}
	if err != nil {
		return err
	}
	return report.JSON(to, req.Plans)
}
