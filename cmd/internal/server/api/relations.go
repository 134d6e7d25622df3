package api

import (
	"context"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
)

// Relations lists relations with an example each: those with the most facts, or those with names similar to a text,
// which may be incomplete or misspelt.
func (s *Service) Relations(r *http.Request, h *host.Model) (any, error) {
	var req struct {
		Name   string `json:"name"`
		K      int    `json:"k"`
		Offset int    `json:"offset" least:"0"`
	}
	req.K = s.defaultK(lookup.DefaultK)
	if err := s.read(r, &req, &req.K); err != nil {
		return nil, err
	}
	m := h.Now()
	last := req.K + min(req.Offset, m.NumRelations())
	result := struct {
		Relations []*RelationInfo `json:"relations"`
		Next      int             `json:"next,omitempty"`
	}{Relations: []*RelationInfo{}}
	err := s.host.Run(r.Context(), 0, func(ctx context.Context) error {
		list := lookup.Find(m, "relation", req.Name, last+1)
		if len(list) > last {
			result.Next = last
		}
		list = list[:min(len(list), last)]
		for _, f := range list[min(len(list), req.Offset):] {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			result.Relations = append(result.Relations, samples(m, graph.RelationID(f.ID), 1))
		}
		return nil
	})
	return result, err
}
