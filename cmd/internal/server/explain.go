package server

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/efoc/efoc/compiler/explain"
	"github.com/efoc/efoc/runtime/model"
)

// ExplainRequest asks what is made of a query.
type ExplainRequest struct {
	Question
	// Plans adds the plan as each pass left it.
	Plans bool `json:"plans,omitempty"`
}

// explain reports on a query: its graph, the messages of each layer, its cost.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	var req ExplainRequest
	if err := req.read(r); err != nil {
		return err
	}
	h, err := s.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	if err := s.startCompiling(r.Context()); err != nil {
		return err
	}
	defer s.stopCompiling()
	c, err := s.check(h, &req.Question)
	if err != nil {
		return about(&req.Question, err)
	}
	layers := c.settings.Layers
	if c.semantics == model.FIT {
		layers = 0
	}
	report, err := explain.Analyzed(c.Analysis, layers, c.semantics)
	if err != nil {
		return about(&req.Question, err)
	}
	var text bytes.Buffer
	if err := report.JSON(&text, req.Plans); err != nil {
		return err
	}
	send(w, http.StatusOK, text.Bytes())
	return nil
}

// read reads the request.
func (q *ExplainRequest) read(r *http.Request) error {
	if r.Method == http.MethodPost {
		return decode(r, q)
	}
	given, err := readParams(r, "formula", "semantics", "plans")
	if err != nil {
		return err
	}
	q.Formula, q.Semantics = given["formula"], given["semantics"]
	if text := given["plans"]; text != "" {
		if q.Plans, err = strconv.ParseBool(text); err != nil {
			return badRequest("plans is %q, want true or false", text)
		}
	}
	return nil
}
