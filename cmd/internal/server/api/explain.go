package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/pause"
)

// ExplainRequest asks for the compilation of a query.
type ExplainRequest struct {
	host.Question
	Plans bool `json:"plans,omitempty"`
}

// Explain reports on a query: its graph, the messages of each layer, its cost.
func (s *Service) Explain(r *http.Request, h *host.Model) (any, error) {
	var req ExplainRequest
	if err := transport.Read(r, &req); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err := s.host.Run(r.Context(), 0, func(ctx context.Context) error { return s.explanation(ctx, h, &req, &text) })
	return json.RawMessage(text.Bytes()), err
}

// explanation writes the report of explain.
func (s *Service) explanation(ctx context.Context, h *host.Model, req *ExplainRequest, to io.Writer) error {
	a, err := s.host.Check(ctx, h, &req.Question)
	if err = cmp.Or(err, pause.Here(ctx)); err != nil {
		return err
	}
	report, err := explain.New(a.Analysis, a.Settings.Layers, a.Semantics)
	if err != nil && a.Source.Asks() == kind.Verdict {
		return problem.New("sentence", "%s", err)
	}
	if err != nil {
		return err
	}
	return report.JSON(to, req.Plans)
}
