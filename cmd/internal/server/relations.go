package server

import (
	"net/http"

	"github.com/efoc/efoc/runtime/model"
)

// relations lists relations with an example each: those with the most facts, or those with
// names like a text, which may be half typed or misspelt.
func (s *Server) relations(r *http.Request, h *openModel) (any, error) {
	given, p, err := readPage(r, "q", "offset")
	if err != nil {
		return nil, err
	}
	if err := s.startCompiling(r.Context()); err != nil { // it goes through all names
		return nil, err
	}
	defer s.stopCompiling()
	m := h.model.Now()
	last := p.limit + min(p.offset, m.NumRelations())
	list := Find(m, "relation", given["q"], last+1)
	result := struct {
		Relations []*relationInfo `json:"relations"`
		Next      int             `json:"next,omitempty"`
	}{Relations: []*relationInfo{}}
	if len(list) > last {
		result.Next = last
	}
	list = list[:min(len(list), last)]
	for _, f := range list[min(len(list), p.offset):] {
		result.Relations = append(result.Relations, s.samples(m, model.RelationID(f.ID), 1))
	}
	return result, nil
}
