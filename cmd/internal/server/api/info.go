package api

import (
	"net/http"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime/model/values"
)

// Param is a parameter of a template.
type Param struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Model describes the model and the server's limits.
func (s *Service) Model(_ *http.Request, h *host.Model) (any, error) {
	f := &h.Now().Bundle().Manifest
	return map[string]any{
		"name": f.Name, "description": f.Description, "entities": f.Entities, "relations": f.Relations,
		"facts": f.Triples, "held_back": f.Heldout, "rank": f.Rank, "table": f.Table, "settings": f.Settings,
		"untrue": f.Untrue, "changes_facts": s.host.ChangesFacts, "semantics": s.host.DefaultSemantics(h), "type_relation": f.TypeRelation, "attributes": append([]values.Attribute{}, f.Attributes...),
		"file":   s.host.FileName(),
		"loaded": h.Since.UTC().Format(time.RFC3339), "version": s.Version,
		"limits": map[string]any{
			"body_bytes": s.Limits.Body, "formula_bytes": s.Limits.Formula, "messages": s.Limits.Messages, "k": s.Limits.K,
			"batch": s.Limits.Batch, "in_flight": s.Limits.InFlight, "memory_bytes": s.Limits.Memory, "rows_bytes": s.Limits.Rows,
			"deadline_seconds": s.Limits.Deadline.Seconds(),
		},
	}, nil
}

// Reload opens the model again.
func (s *Service) Reload(r *http.Request) (info any, err error) {
	if err := s.host.Reload(r.Context()); err != nil {
		return nil, problem.New("reload_refused", "the model in use stays: %w", err)
	}
	err = s.host.With(func(h *host.Model) error {
		info, err = s.Model(r, h)
		return err
	})
	return info, err
}
