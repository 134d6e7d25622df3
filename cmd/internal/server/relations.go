package server

import (
	"context"
	"net/http"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
)

// relations lists relations with an example each: those with the most facts, or those with
// names like a text, which may be half typed or misspelt.
func (s *Server) relations(r *http.Request, h *openModel) (any, error) {
	given, p, err := readPage(r, "q", "offset")
	if err != nil {
		return nil, err
	}
	m := h.model.Now()
	last := p.limit + min(p.offset, m.NumRelations())
	result := struct {
		Relations []*relationInfo `json:"relations"`
		Next      int             `json:"next,omitempty"`
	}{Relations: []*relationInfo{}}
	err = s.scheduler.run(r.Context(), 0, func(ctx context.Context) error {
		list := Find(m, "relation", given["q"], last+1)
		if len(list) > last {
			result.Next = last
		}
		list = list[:min(len(list), last)]
		for _, f := range list[min(len(list), p.offset):] {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			result.Relations = append(result.Relations, samples(m, graph.RelationID(f.ID), 1))
		}
		return nil
	})
	return result, err
}
