package server

import (
	"cmp"
	"net/http"

	"github.com/efoc/efoc/runtime/model"
)

// relations lists relations with an example each: those with the most facts, or those with
// names like a text, which may be half typed or misspelt.
func (s *Server) relations(r *http.Request, h *openModel) (any, error) {
	limit, offset := new(defaultFound), new(0)
	given, err := readParams(r, "q", "limit", "offset")
	if err = cmp.Or(err, given.number("limit", &limit), given.number("offset", &offset)); err != nil {
		return nil, err
	}
	if err := checkFound(*limit, ""); err != nil {
		return nil, err
	}
	if *offset < 0 {
		return nil, badRequest("offset is %d, want 0 or more", *offset)
	}
	if err := s.startCompiling(r.Context()); err != nil { // it goes through all names
		return nil, err
	}
	defer s.stopCompiling()
	m := h.model.Now()
	last := *limit + min(*offset, m.NumRelations())
	list := Find(m, "relation", given["q"], last+1)
	result := struct {
		Relations []*relationInfo `json:"relations"`
		Next      int             `json:"next,omitempty"`
	}{Relations: []*relationInfo{}}
	if len(list) > last {
		result.Next = last
	}
	list = list[:min(len(list), last)]
	for _, f := range list[min(len(list), *offset):] {
		result.Relations = append(result.Relations, s.samples(m, model.RelationID(f.ID), 1))
	}
	return result, nil
}
