package api

import (
	"context"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/host"
)

// Template is a query of the server's file, as a form.
type Template struct {
	Name      string   `json:"name"`
	Doc       string   `json:"doc,omitempty"`
	Params    []Param  `json:"params"`
	Formula   string   `json:"formula"`  // with the parameters, such as $country
	Variable  string   `json:"variable"` // empty for a sentence
	Kind      string   `json:"kind"`     // the kind of question, as in a response
	Show      []string `json:"show,omitempty"`
	Semantics string   `json:"semantics,omitempty"`
	Layers    int      `json:"layers,omitempty"`
}

// Templates lists the queries of the server's file.
func (s *Service) Templates(*http.Request, *host.Model) (any, error) {
	list := []Template{}
	if f := s.TemplateFile; f != nil {
		for _, q := range f.Queries {
			t := Template{Name: q.Name, Doc: q.Doc, Params: []Param{}, Variable: q.Free, Kind: q.Asks().String(), Show: q.Shown(), Semantics: f.Semantics, Layers: f.Layers}
			for _, p := range q.Params {
				t.Params = append(t.Params, Param{p.Name, p.Kind.String()})
			}
			body := q.Alone() // as a question
			body.Name = ""
			body.Params = nil
			t.Formula = body.String()
			list = append(list, t)
		}
	}
	return struct {
		Templates []Template `json:"templates"`
	}{list}, nil
}

// CheckTemplates warns of templates that the model cannot answer. A model loaded later may answer them.
func (s *Service) CheckTemplates() {
	if s.TemplateFile == nil {
		return
	}
	s.host.With(func(h *host.Model) error {
		for _, q := range s.TemplateFile.Queries {
			if _, err := s.host.Check(context.Background(), h, &host.Question{Template: q.Alone().String()}); err != nil {
				s.Log.Warn("a template cannot be answered with this model", "query", q.Name, "error", err)
			}
		}
		return nil
	})
}
